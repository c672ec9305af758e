"""Passes connections to localhost on to PORT. After SIGUSR1, a connection holds what arrives once it has passed 20,000 bytes, and
says so; SIGUSR2 closes all connections, and later ones are passed on as before."""
import selectors
import signal
import socket
import sys
import time

listener = socket.create_server(("127.0.0.1", 0))
print("port", listener.getsockname()[1], flush=True)
selector = selectors.DefaultSelector()
selector.register(listener, selectors.EVENT_READ)
others, passed, is_holding = {}, {}, False


def close_all():
    for side in list(others):
        selector.unregister(side)
        side.close()
    others.clear()
    passed.clear()


def hold(*_):
    global is_holding
    is_holding = True


def cut(*_):
    global is_holding
    is_holding = False
    close_all()


signal.signal(signal.SIGUSR1, hold)
signal.signal(signal.SIGUSR2, cut)
while True:
    for key, _ in selector.select(0.1):
        side = key.fileobj
        if side is listener:
            client = listener.accept()[0]
            server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            for one, other in ((client, server), (server, client)):
                others[one], passed[one] = other, 0
                selector.register(one, selectors.EVENT_READ)
            continue
        if side not in others:
            continue
        if is_holding and passed[side] > 20_000:
            print("holds", flush=True)
            while is_holding:
                time.sleep(0.01)
            continue
        data = side.recv(4096)
        if not data:
            close_all()
            continue
        passed[side] += len(data)
        others[side].sendall(data)
