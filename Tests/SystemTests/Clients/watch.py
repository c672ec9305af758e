"""watch.py ADDRESS [INDEX EPOCH]: prints each state from Watch until userd ends.

With an index and its epoch, it continues after that transition.
"""

import json
import sys

import varlink

resume = {"since": int(sys.argv[2]), "epoch": sys.argv[3]} if len(sys.argv) > 2 else {}
with varlink.Client(sys.argv[1]) as client, client.open("io.userd") as userd:
    try:
        for reply in userd.Watch(**resume, _more=True):
            print(json.dumps(reply["state"]), flush=True)
    except varlink.VarlinkError as error:
        print(json.dumps(error.as_dict()), file=sys.stderr)
        sys.exit(1)
    except ConnectionError:
        pass
