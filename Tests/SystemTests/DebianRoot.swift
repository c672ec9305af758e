import Foundation
import Glibc
import TestSupport
import Testing

/// A Debian system in a directory: the essential packages, the named ones and their dependencies, with their
/// files from this machine. Its dpkg knows only these packages.
struct DebianRoot {
    private let directory: TemporaryDirectory

    var path: String { directory.path }
    func file(_ name: String) -> String { directory.file(name) }

    init(with packages: Set<String>) async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        directory = try TemporaryDirectory()
        let installed = try await Self.installedPackages()
        var (present, missing) = (Set<String>(), packages)
        missing.formUnion(installed.filter(\.value.isEssential).keys)
        while let name = missing.popFirst() {
            let package = try #require(installed[name], "\(name) is not installed here")
            present.insert(name)
            missing.formUnion(package.dependencies.subtracting(present))
        }
        try await bash(Self.copying, [path] + present.sorted())
    }

    /// The command line that runs a program in the system. /proc is mounted, from which Swift reads
    /// arguments.
    func command(_ words: [String]) -> (executable: String, arguments: [String]) {
        (
            "/usr/bin/unshare",
            [
                "--mount", "/bin/bash", "-c", #"mount -t proc proc "$1/proc" && exec /usr/sbin/chroot "$@""#,
                "bash", path,
            ] + words
        )
    }

    func run(_ words: [String], environment: [String: String] = [:]) async throws -> Finished {
        let (executable, arguments) = command(words)
        return try await TestSupport.run(
            executable, arguments,
            environment: Installation.environment.merging(["HOME": "/root"]) { $1 }.merging(environment) {
                $1
            },
            within: .seconds(600))
    }

    /// Copies the libraries of Swift's toolchain that programs built outside of Debian need.
    /// - Returns: the libraries' paths on this machine.
    func addSwiftLibraries(of programs: [String]) async throws -> [String] {
        try await bash(
            """
            libraries=$(ldd "${@:2}" | awk '$3 ~ /\\/swift\\// { print $3 }' | sort -u)
            for library in $libraries; do cp "$library" "$1/usr/lib/"; done
            echo "$libraries"
            """, [path] + programs
        ).outputLines
    }

    private struct Package {
        var isEssential: Bool
        var dependencies: Set<String>
    }

    private static func installedPackages() async throws -> [String: Package] {
        let fields = #"${Package}\t${Essential}\t${Pre-Depends}, ${Depends}\n"#
        let list = try await bash(
            "dpkg-query --show --showformat='${db:Status-Status} \(fields)' | sed -n 's/^installed //p'")
        let lines = list.outputLines.map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
        let names = Set(lines.map { String($0[0]) })
        return Dictionary(
            lines.map { columns in
                let alternatives = columns[2].split(separator: ",").map { Self.names($0) }
                // A name that no installed package has is provided by another package.
                let dependencies = alternatives.compactMap { $0.first(where: names.contains) }
                return (
                    String(columns[0]),
                    Package(isEssential: columns[1] == "yes", dependencies: Set(dependencies))
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The packages of a relation: `a (>= 1) | b:any` are a and b.
    static func names(_ relation: some StringProtocol) -> [String] {
        relation.split(separator: "|").map { alternative in
            String(alternative.drop { $0 == " " }.prefix { $0 != " " && $0 != ":" && $0 != "(" })
        }
    }

    private static let copying = #"""
        root=$1
        shift
        mkdir -p "$root"/{dev,etc,proc,root,run,sys,tmp,usr,var/lib/dpkg/{info,updates,triggers}}
        mknod --mode=666 "$root/dev/null" c 1 3
        for folder in bin sbin lib lib32 lib64 libx32; do
            [[ ! -L /$folder ]] || ln -s "usr/$folder" "$root/$folder"
        done
        dpkg-query --listfiles "$@" | sed -nE 's#^/(bin|sbin|lib|lib32|lib64|libx32)/#/usr/\1/#; s#^/(.+)#\1#p' |
            grep -vE '^(bin|sbin|lib|lib32|lib64|libx32|tmp|var/tmp)$|^usr/share/(doc|info|locale|man)/' | sort -u |
            while read -r file; do [[ ! -e /$file ]] || echo "$file"; done |
            tar --create --directory=/ --no-recursion --files-from=- | tar --extract --directory="$root"
        dpkg-query --status "$@" >"$root/var/lib/dpkg/status"
        cp /var/lib/dpkg/info/format "$root/var/lib/dpkg/info/"
        for package in "$@"; do
            for list in /var/lib/dpkg/info/"$package"{,:*}.list; do
                [[ ! -e $list ]] || cp "$list" "$root/var/lib/dpkg/info/"
            done
        done
        """#
}

/// Runs a script, and fails unless it ends with 0.
@discardableResult
func bash(_ script: String, _ arguments: [String] = [], environment: [String: String] = [:]) async throws
    -> Finished
{
    let finished = try await run(
        "/bin/bash", ["-euo", "pipefail", "-c", script, "bash"] + arguments,
        environment: Installation.environment.merging(environment) { $1 }, within: .seconds(600))
    try #require(finished.code == 0, "\(finished.output)\(finished.errors)")
    return finished
}
