"""Serves a session store, as the official Python SDK has them, to `agentwire conform store`.

    import asyncio
    from serve_store import serve

    asyncio.run(serve(MyStore()))
"""

import asyncio
import json
import sys

# The calls, each with the method of the store.
CALLS = {
    "append": "append",
    "load": "load",
    "sessions": "list_sessions",
    "subpaths": "list_subkeys",
    "summaries": "list_session_summaries",
    "delete": "delete",
}


def has(store, method):
    """Whether a store has a method itself. The SDK's base class has them all, and they raise."""
    found = getattr(type(store), method, None)
    return found is not None and not found.__qualname__.startswith("SessionStore.")


def key_of(key):
    named = {"project_key": key["project"], "session_id": key["session_id"]}
    if "subpath" in key:
        named["subpath"] = key["subpath"]
    return named


def listed(session):
    return {"id": session["session_id"], "modified": session["mtime"]}


async def result_of(store, request):
    call = request["call"]
    method = getattr(store, CALLS[call])
    if call == "append":
        await method(key_of(request["key"]), request["entries"])
    elif call == "delete":
        await method(key_of(request["key"]))
    elif call in ("load", "subpaths"):
        return await method(key_of(request["key"]))
    elif call == "sessions":
        return [listed(it) for it in await method(request["project"])]
    else:
        summaries = await method(request["project"])
        return [{**listed(it), "summary": it["data"]} for it in summaries]


async def serve(store):
    """Serves a store until standard input ends."""

    def write(message):
        print(json.dumps(message), flush=True)

    async def respond(request):
        try:
            response = {"result": await result_of(store, request)}
        except Exception as error:
            response = {"error": f"{type(error).__name__}: {error}"}
        write({"id": request["id"], **response})

    write({"calls": [call for call, method in CALLS.items() if has(store, method)]})
    loop, running = asyncio.get_running_loop(), set()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        task = asyncio.create_task(respond(json.loads(line)))
        running.add(task)
        task.add_done_callback(running.discard)
    await asyncio.gather(*running)
