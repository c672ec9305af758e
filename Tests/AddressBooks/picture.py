#!/usr/bin/env python3
"""Draws the picture of AddressBook.md: Thunderbird with an address book, a person's card open.

    picture.py URL USER PASSWORD COUNT --name NAME FILE.png
"""
import base64
import os
import time

import client_thunderbird
from rig import Rig, until

OPEN = """
    const window = Services.wm.getMostRecentWindow("mail:3pane");
    window.resizeTo(1120, 640);
    window.toAddressBook();
    return true;
"""
READY = """
    const window = Services.wm.getMostRecentWindow("mail:3pane");
    const book = window.document.getElementById("tabmail").currentTabInfo.browser?.contentWindow;
    return book?.document.readyState == "complete" && !!book.document.getElementById("cards");
"""
BOOK = """
    const window = Services.wm.getMostRecentWindow("mail:3pane");
    const book = window.document.getElementById("tabmail").currentTabInfo.browser.contentWindow;
"""
CHOOSE = BOOK + """
    book.booksList.selectedIndex = book.booksList.getIndexForUID(rigBook().UID);
    return book.booksList.selectedIndex;
"""
SHOW = BOOK + """
    const cards = book.cardsPane.cardsList, view = cards.view;
    for (let i = 0; i < view.rowCount; i++) if (view.getCardFromRow(i).displayName.includes(args[0])) { cards.selectedIndex = i; break; }
    return view.rowCount;
"""

r = Rig("picture", thunderbird={"default": "/usr/lib/thunderbird/thunderbird"}, file={"help": "the PNG to write"})
tb = client_thunderbird.Thunderbird(r, {"mail.tabs.drawInTitlebar": True}, True)
m = tb.m
m.js("const b = await CardDAVUtils.detectAddressBooks(args[0], args[1], args[2], false, true); globalThis.rigFound = b;",
     r.a.user, r.a.password, r.url)
m.js(client_thunderbird.SYNCED % 60000 + "globalThis.rigFound[0].create(); await seen;")
m.js(OPEN)
until(lambda: m.js(READY), 20)
m.js(CHOOSE)
time.sleep(2)
r.fact("rows", m.js(SHOW, r.a.name))
time.sleep(2)
m("WebDriver:SetWindowRect", width=1120, height=640)
time.sleep(1)
shot = m("WebDriver:TakeScreenshot", full=False)["value"]
with open(r.a.file, "wb") as file:
    file.write(base64.b64decode(shot))
tb.close()
r.done()
