"""Row 18: a first sync of users from a directory over LDAP."""

import os

from .figures import Figure, turns
from .prepared import TOP
from .processes import Process, cost_of, run
from .programs import Userd, free_port

USERS = 100_000
BASE = "ou=people,dc=example,dc=org"
# Unpacked by .ci/unpack.
SLAPD = TOP + "/.build/slapd"
LIBRARIES = {"LD_LIBRARY_PATH": ":".join(f"{SLAPD}/usr/lib/{machine}-linux-gnu" for machine in ("x86_64", "aarch64"))}


def person(number):
    """An entry with the attributes that organisations usually fill in. One person in ten is a manager."""
    manager = f"manager: uid=u{number // 10},{BASE}\n" if number else ""
    return f"""dn: uid=u{number},{BASE}
objectClass: inetOrgPerson
uid: u{number}
cn: Given{number % 997} Family{number % 4999} {number}
givenName: Given{number % 997}
sn: Family{number % 4999}
displayName: Given{number % 997} Family{number % 4999}
mail: u{number}@example.org
mail: given{number}.family@example.com
telephoneNumber: +49 30 {number:07}
mobile: +49 170 {number:07}
title: Engineer {number % 50}
departmentNumber: {number % 300}
o: Example Ltd.
employeeNumber: {number}
street: Main Street {number % 1000}
l: Springfield
postalCode: {number % 100000:05}
{manager}
"""


def server(bench):
    """A slapd with these people, filled once; returns it and its URL."""
    folder, port = bench.folder("slapd"), free_port()
    schemas = "".join(f"include {SLAPD}/etc/ldap/schema/{name}.schema\n" for name in ("core", "cosine", "inetorgperson"))
    with open(folder + "/slapd.conf", "w") as file:
        file.write(f"""{schemas}modulepath {SLAPD}/usr/lib/ldap
moduleload back_mdb
database mdb
suffix dc=example,dc=org
directory {folder}/db
maxsize 2147483648
limits * size.prtotal=unlimited size=unlimited
""")
    if not os.path.exists(folder + "/whole"):
        os.makedirs(folder + "/db", exist_ok=True)
        with open(folder + "/people.ldif", "w") as file:
            file.write("dn: dc=example,dc=org\nobjectClass: organization\nobjectClass: dcObject\no: Example\ndc: example\n\n")
            file.write(f"dn: {BASE}\nobjectClass: organizationalUnit\nou: people\n\n")
            file.writelines(map(person, range(USERS)))
        run([SLAPD + "/usr/sbin/slapadd", "-q", "-f", folder + "/slapd.conf", "-l", folder + "/people.ldif"],
            env=os.environ | LIBRARIES)
        open(folder + "/whole", "w").close()
    url = f"ldap://127.0.0.1:{port}"
    slapd = Process(
        [SLAPD + "/usr/sbin/slapd", "-f", folder + "/slapd.conf", "-h", url + "/", "-d", "0"], os.environ | LIBRARIES)
    search = [SLAPD + "/usr/bin/ldapsearch", "-x", "-LLL", "-H", url, "-b", BASE, "-E", "pr=1000/noprompt"]

    def answers():
        try:
            return bool(cost_of([*search, "(uid=u0)"], env=os.environ | LIBRARIES))
        except Exception:
            return False

    slapd.until(answers)
    return slapd, url, search


def first(bench):
    """A first sync, compared with a search that prints the same entries."""
    slapd, url, search = server(bench)

    def ours():
        bench.fresh("directory")
        userd = Userd(bench, "directory", {
            "users.format": "ldap", "users.url": f"{url}/{BASE}", "users.query": "", "users.page_size": 1000}).ready()
        cost = userd.spending(lambda: userd.sync(USERS))
        userd.stop()
        return cost

    ours, theirs = turns(bench.runs, ours, lambda: cost_of(search, env=os.environ | LIBRARIES))
    slapd.stop()
    bench.figures += [
        Figure(
            "18", "first sync of 100,000 users over LDAP", [cost.wall for cost in ours], "ldapsearch",
            [cost.wall for cost in theirs]),
        Figure("18", "processor time of that", [cost.cpu for cost in ours], "ldapsearch", [cost.cpu for cost in theirs]),
        Figure("18", "peak memory", [cost.memory for cost in ours], unit="bytes"),
    ]
