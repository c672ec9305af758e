import Daemon

@main
enum Main {
    static func main() { runUserd() }
}
