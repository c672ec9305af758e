"""agree.py USERCTL DATABASE FOLDER URL PHOTO: lists all users in every format, reads each format with a program or library
of others, and checks that all agree on each user.

URL is the URL of the only cached picture, and PHOTO the property of its vCard. Prints the number of users and userctl's peak of
memory in KiB.
"""

import csv
import io
import json
import multiprocessing
import multiprocessing.pool
import re
import resource
import subprocess
import sys

import vobject

userctl, database, folder, url, photo = sys.argv[1:]
CHUNK = 1000
FORMATS = ["json", "ndjson", "csv", "vcard", "vcard3", "mutt"]


def path(name):
    return f"{folder}/{name}"


def save(format):
    with open(path(format), "wb") as file:
        arguments = ["list", "--all", "--output", format, "--socket", "/nonexistent", "--database", database]
        subprocess.run([userctl, *arguments], stdout=file, check=True)


def flat(user):
    fields = {}
    for name, value in user.items():
        if isinstance(value, dict):
            fields.update({f"{name}_{key}": inner for key, inner in value.items()})
        elif isinstance(value, list):
            texts = [f"{one['value']} ({one['kind']})" if "kind" in one else one["value"] for one in value]
            fields[name] = "; ".join(texts)
        else:
            fields[name] = value
    return fields


def same(what, got, expected):
    if got != expected:
        raise ValueError(f"{what}: {got!r} is not {expected!r}")


def field(value):
    """A value as a field of CSV contains it."""
    return re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", "\ufffd", value) if isinstance(value, str) else value


def check_csv():
    with open(path("csv"), newline="") as file:
        rows = csv.reader(file, strict=True)
        header = next(rows)
        for user, row in zip(users, rows, strict=True):
            same(f"csv of {user['id']}", len(row), len(header))
            got = {name: text for name, text in zip(header, row) if text != ""}
            fields = flat(user)
            for name in set(fields) & set(got):
                if isinstance(fields[name], (int, float)):
                    got[name] = type(fields[name])(got[name])
            expected = {name: field(value) for name, value in fields.items() if value is not None and value != ""}
            same(f"csv of {user['id']}", got, expected)


def held(text):
    """A text as a vCard contains it."""
    text = re.sub("\r\n|[\r\n\x85\u2028\u2029]", "\n", text or "")
    return re.sub("[\0-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]", "\ufffd", text)


def single(text):
    """A text as a line contains it."""
    return re.sub("[\0-\x1f\x7f-\x9f\u2028\u2029]", " ", text or "")


def offset(text, colon):
    sign, hours, minutes = re.fullmatch(r"([+-]?)(\d+):(\d\d)", text).groups()
    return f"{sign or '+'}{int(hours):02}{colon}{minutes}"


def values(user, first, all):
    """The values of the single fields, then the others of the list, each once."""
    return list(dict.fromkeys([user[key] for key in first if key in user] + [one["value"] for one in user.get(all, [])]))


def is_east_asian(character):
    """Han, kana and Hangul."""
    return character.isspace() or any(
        first <= ord(character) <= last
        for first, last in [
            (0x1100, 0x11FF), (0x3005, 0x3007), (0x3040, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x9FFF), (0xAC00, 0xD7A3),
            (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x20000, 0x3FFFF),
        ]
    )


def called(user, title=None):
    """The display name, else the name in the order of its script."""
    parts = [user["name"]["first"], user["name"]["last"]]
    if parts[1][:1] >= "\u1000" and all(map(is_east_asian, "".join(parts))):
        parts.reverse()
    return user.get("display_name") or " ".join(part for part in [title, *parts] if part)


def card_of(user, is_3):
    """The properties of a user's card by name, as vobject returns them."""
    name, address = user["name"], user["address"]
    shown = next(text for text in [called(user, name.get("title")), user.get("username"), user.get("email"), user["id"]] if text)
    manager = [held(user["manager"]["name"])] if user.get("manager", {}).get("name") else None
    place = [held(address.get(key)) for key in ["street", "city", "state", "postcode", "country"]]
    card = {
        "version": ["3.0" if is_3 else "4.0"],
        "x-evolution-manager": manager,
        "related": None if is_3 else manager,
        "uid": [held(user["id"])],
        "fn": [held(shown)],
        "n": [(held(name["last"]), held(name["first"]), "", held(name.get("title")), "")],
        "nickname": [held(user.get("username"))] if "username" in user else None,
        "email": [held(text) for text in values(user, ["email"], "emails")],
        "tel": [held(text) for text in values(user, ["phone", "cell"], "phones")],
        "org": [[held(user.get("company"))] + [held(user[key]) for key in ["department"] if key in user]]
        if "company" in user or "department" in user else None,
        "title": [held(user["job_title"])] if "job_title" in user else None,
        "rev": [re.sub("[.][0-9]+" if is_3 else "[-:]|[.][0-9]+", "", user["updated_at"])] if "updated_at" in user else None,
        "adr": [("", held(user.get("office")), *place)]
        if "office" in user or any(key in address for key in ["street", "city", "state", "postcode", "country"])
        else None,
        "bday": [user["born_at"][:10].replace("-", "-" if is_3 else "")] if "born_at" in user else None,
        "gender": [{"male": "M", "female": "F"}.get(user["gender"], ";" + held(user["gender"]))] if "gender" in user and not is_3 else None,
        "geo": [(address["latitude"], address["longitude"])] if "longitude" in address else None,
        "tz": [offset(address["utc_offset"], ":" if is_3 else "")] if "utc_offset" in address else None,
        "photo": [photo.split(",")[1] if is_3 else photo] if user.get("picture", {}).get("large") == url else None,
    }
    return {key: values for key, values in card.items() if values}


def read_card(component, text):
    """A card as vobject reads it, except URIs: vobject knows only vCard 3.0, and cuts them as texts at the first comma."""
    card = {}
    for child in component.getChildren():
        value = child.value
        if child.name == "N":
            value = (value.family, value.given, value.additional, value.prefix, value.suffix)
        elif child.name == "ADR":
            value = (value.box, value.extended, value.street, value.city, value.region, value.code, value.country)
        card.setdefault(child.name.lower(), []).append(value)
    if "geo" in card or "photo" in card:
        for line, _ in vobject.base.getLogicalLines(io.StringIO(text), allowQP=False):
            name, _, value, _ = vobject.base.parseLine(line)
            if name == "GEO":
                card["geo"] = [tuple(map(float, value.removeprefix("geo:").replace(";", ",").split(",")))]
            elif name == "PHOTO":
                card["photo"] = [value]
    return card


def check_cards(form, start):
    some = cards[form][start : start + CHUNK]
    components = vobject.readComponents("".join(some))
    for user, component, text in zip(users[start : start + CHUNK], components, some, strict=True):
        same(f"{form} of {user['id']}", read_card(component, text), card_of(user, form == "vcard3"))


def check_mutt():
    with open(path("mutt"), newline="\n") as file:
        addresses = [(user, text) for user in users for text in values(user, ["email"], "emails") if is_address(text)]
        same("first line", next(file), f"{len(addresses):,} addresses found\n")
        for (user, address), line in zip(addresses, file, strict=True):
            about = joined(user, ["job_title", "department"]) or joined(user["address"], ["city", "country"])
            same(f"mutt of {user['id']}", line, f"{address}\t{single(called(user))}\t{single(about)}\n")


def joined(record, keys):
    return ", ".join(record[key] for key in keys if record.get(key))


def check_ndjson():
    with open(path("ndjson"), newline="\n") as file:
        for user, line in zip(users, file, strict=True):
            same(f"ndjson of {user['id']}", json.loads(line), user)


def check_jq():
    """Compares the records of the JSON document with the lines of NDJSON, as jq reads them."""
    command = 'cmp <(jq --compact-output ".users[]" "$0") <(jq --compact-output . "$1")'
    subprocess.run(["/bin/bash", "-c", command, path("json"), path("ndjson")], check=True)


def is_address(text):
    atoms = r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*"
    return bool(re.fullmatch(f"{atoms}@{atoms}", text))


def call(check):
    check[0](*check[1:])


with multiprocessing.pool.ThreadPool(2) as pool:
    pool.map(save, FORMATS)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

with open(path("json")) as file:
    users = json.load(file)["users"]
same("ids", len({user["id"] for user in users}), len(users))
cards = {}
for form in ["vcard", "vcard3"]:
    with open(path(form), newline="") as file:
        cards[form] = re.split("(?m)^(?=BEGIN:VCARD\r$)", file.read())[1:]
    same("vCards", len(cards[form]), len(users))
checks = [(check_jq,), (check_csv,), (check_ndjson,), (check_mutt,)]
# Forked processes share what was read here.
with multiprocessing.get_context("fork").Pool() as pool:
    starts = range(0, len(users), CHUNK)
    pool.map(call, checks + [(check_cards, form, start) for form in cards for start in starts], chunksize=1)
print(len(users), peak)
