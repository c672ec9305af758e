"""Reads a HAR file with hario-core's types of HAR 1.2, and prints each entry on a line."""

import base64
import json
import sys

from hario_core.models.har_1_2 import HarLog

with open(sys.argv[1], encoding="utf-8") as file:
    log = HarLog.model_validate(json.load(file)["log"], strict=False)
for entry in log.entries:
    content = entry.response.content
    body = content.text or ""
    body = base64.b64decode(body, validate=True) if content.encoding else body.encode()
    # A body that userd does not read has only its length here.
    assert content.text is None or len(body) == content.size
    assert entry.startedDateTime.utcoffset().total_seconds() == 0
    timings = entry.timings
    assert abs(timings.send + timings.wait + timings.receive - entry.time) < 0.01
    print(entry.request.method, entry.request.url, entry.response.status, len(body))
