"""typed.py PATH: calls userd through declared types, and prints the replies as JSON.

asyncvarlink refuses replies with an undeclared member, one of another type, or a missing one.
"""

import asyncio
import collections.abc
import dataclasses
import json
import sys
import typing

from asyncvarlink import (
    TypedVarlinkErrorReply,
    VarlinkClientProtocol,
    VarlinkInterface,
    connect_unix_varlink,
    varlinkmethod,
)
from asyncvarlink.serviceerrors import ExpectedMore
from asyncvarlink.serviceinterface import VarlinkServiceInterface

Resource = typing.Literal["users", "facts"]
Phase = typing.Literal["initial", "syncing", "loaded", "empty", "error"]


@dataclasses.dataclass
class Failure:
    kind: str
    message: str
    retryable: bool
    http_status: int | None
    attempts: int


@dataclasses.dataclass
class Progress:
    done: int
    total: int | None


@dataclasses.dataclass
class State:
    epoch: str
    index: int
    resource: Resource
    phase: Phase
    since: str
    cause: str
    count: int
    synced_at: str | None
    stale: bool
    next_sync_at: str | None
    progress: Progress | None
    failure: Failure | None


@dataclasses.dataclass
class Freshness:
    phase: Phase
    synced_at: str | None
    age: float | None
    stale: bool


@dataclasses.dataclass
class Name:
    title: str | None
    first: str
    last: str


@dataclasses.dataclass
class Address:
    street: str | None
    city: str | None
    state: str | None
    postcode: str | None
    country: str | None
    latitude: float | None
    longitude: float | None
    utc_offset: str | None


@dataclasses.dataclass
class Picture:
    large: str | None
    medium: str | None
    thumbnail: str | None


@dataclasses.dataclass
class User:
    id: str
    username: str | None
    name: Name
    gender: str | None
    email: str | None
    phone: str | None
    cell: str | None
    born_at: str | None
    age: int | None
    registered_at: str | None
    nationality: str | None
    address: Address
    picture: Picture | None


class UserPage(typing.TypedDict):
    users: list[User]
    total: int
    next: str | None
    freshness: Freshness


class UserReply(typing.TypedDict):
    user: User
    freshness: Freshness


class DaemonState(typing.TypedDict):
    states: list[State]
    paused: bool
    version: str
    started_at: str


class NotFound(TypedVarlinkErrorReply, interface="io.userd"):
    class Parameters:
        key: str


class Userd(VarlinkInterface, name="io.userd"):
    errors = (NotFound, ExpectedMore)

    @varlinkmethod
    async def GetState(self) -> DaemonState: ...

    @varlinkmethod
    async def ListUsers(
        self, *, search: str | None = None, limit: int | None = None, cursor: str | None = None
    ) -> UserPage: ...

    @varlinkmethod
    async def GetUser(self, *, key: str) -> UserReply: ...

    @varlinkmethod(return_parameter="states")
    async def Sync(self, *, resources: list[Resource] | None = None, wait: bool | None = None) -> list[State]: ...

    @varlinkmethod(return_parameter="state")
    async def Watch(self, *, since: int | None = None, epoch: str | None = None) -> State: ...


class UserdMore(VarlinkInterface, name="io.userd"):
    """The methods with several replies."""

    @varlinkmethod
    def ListUsers(self, *, limit: int | None = None) -> collections.abc.Iterator[UserPage]: ...

    @varlinkmethod(return_parameter="state")
    def Watch(self) -> collections.abc.Iterator[State]: ...


async def connect(path: str) -> VarlinkClientProtocol:
    _, protocol = await connect_unix_varlink(VarlinkClientProtocol, path)
    return protocol


async def main(path: str) -> dict[str, typing.Any]:
    connection = await connect(path)
    userd = connection.make_proxy(Userd)
    watched = []
    watch = (await connect(path)).make_proxy(UserdMore).Watch()
    watched += [await anext(watch), await anext(watch)]
    await userd.Sync(resources=["users"], wait=True)
    watched += [await anext(watch), await anext(watch)]
    page = await userd.ListUsers(limit=3)
    result = {
        "info": await connection.make_proxy(VarlinkServiceInterface).GetInfo(),
        "state": await userd.GetState(),
        "page": page,
        "next": await userd.ListUsers(limit=3, cursor=page["next"]),
        "pages": [page async for page in connection.make_proxy(UserdMore).ListUsers(limit=8)],
        "user": await userd.GetUser(key=page["users"][0].id),
        "watched": watched,
    }
    # Sent together, before the first is answered.
    result["pipelined"] = await asyncio.gather(*[userd.GetUser(key=user.id) for user in page["users"]])
    try:
        await userd.GetUser(key="nobody")
    except NotFound as error:
        result["notFound"] = error.p_key
    try:
        await userd.Watch()
    except ExpectedMore:
        result["expectedMore"] = True
    return result


print(json.dumps(asyncio.run(main(sys.argv[1])), default=dataclasses.asdict))
