// Varlink: the protocol (https://varlink.org): its interface language, messages, a service and a client.
//
// In: bytes of a peer, and the text of an interface.
// Out: calls and replies that match the interface, or the error that the peer gets.
//
// Start: FrameDecoder.swift splits a stream, MethodCall.swift and Reply.swift are its messages,
// Interface.swift and Interface+Check.swift what is allowed in them. VarlinkService.swift looks up and
// answers a call; ServerConnection.swift is the server's side of a connection as a state machine.
// VarlinkClient.swift is the client.
//
// Threads: the server's side does no input or output: VarlinkServer does. The client blocks its caller's
// thread (BlockingSocket.swift), and can be interrupted from another one.
