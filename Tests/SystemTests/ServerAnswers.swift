extension ExampleAnswers {
    /// Answers of servers that people run themselves, in the form that these servers sent: WordPress 6.1, Redmine 5.0,
    /// Django REST framework 3.18, Synapse 1.163, JupyterHub 6.1, MediaWiki 1.39, Mailman 3.3 and datasette 0.65. The
    /// people are made up.
    static let servers = [
        ExampleAnswers(
            name: "WordPress",
            bodies: [
                #"""
                [{"id": 1, "username": "ann", "name": "Ann Lee", "first_name": "Ann", "last_name": "Lee",
                "email": "ann@example.org", "url": "", "description": "", "link": "SELF/author/ann/", "locale": "en_US",
                "nickname": "ann", "slug": "ann", "roles": ["administrator"],
                "registered_date": "2026-11-28T05:43:09+00:00", "avatar_urls": {"24": "SELF/24", "96": "SELF/96"}}]
                """#,
                #"""
                [{"id": 2, "username": "bo", "name": "bo", "first_name": "", "last_name": "", "email": "bo@example.org"}]
                """#,
            ],
            link: #"<SELF/users?context=edit&per_page=100&page=2>; rel="next""#,
            asked: [["context=edit", "per_page=100", "Authorization: Basic YW5uOnNlY3JldA=="], ["page=2"]],
            users: ["1, ann, Ann, Lee, ann@example.org", "2, bo, bo, bo@example.org"]),
        ExampleAnswers(
            name: "Redmine",
            bodies: [
                #"""
                {"users": [{"id": 5, "login": "ann", "admin": false, "firstname": "Ann", "lastname": "Lee",
                "mail": "ann@example.org", "created_on": "2026-11-28T05:42:19Z", "updated_on": "2026-11-28T05:42:19Z",
                "last_login_on": null, "passwd_changed_on": null, "twofa_scheme": null}],
                "total_count": 1, "offset": 0, "limit": 100}
                """#, #"{"users": [], "total_count": 1, "offset": 100, "limit": 100}"#,
            ],
            asked: [["offset=0", "limit=100", "X-Redmine-API-Key: secret"]],
            users: ["5, ann, Ann, Lee, ann@example.org"]),
        ExampleAnswers(
            name: "Django",
            bodies: [
                #"""
                {"count": 3, "next": "SELF/users?cursor=cD0y", "previous": null, "results": [
                {"id": 1, "username": "ann", "first_name": "Ann", "last_name": "Lee", "email": "ann@example.org",
                "is_active": true, "date_joined": "2026-11-28T05:18:46.078662Z"},
                {"id": 2, "username": "bo", "first_name": "Bo", "last_name": "Ek", "email": "", "is_active": false}]}
                """#,
                #"""
                {"count": 3, "next": null, "previous": "SELF/users", "results": [
                {"id": 3, "username": "cy", "first_name": "Cy", "last_name": "Ng", "email": "", "is_active": true}]}
                """#,
            ], asked: [["GET "], ["cursor=cD0y"]],
            users: ["1, ann, Ann, Lee, ann@example.org", "3, cy, Cy, Ng"]),
        ExampleAnswers(
            name: "Synapse",
            bodies: [
                #"""
                {"users": [{"name": "@ann:example.org", "user_type": null, "is_guest": false, "admin": false,
                "deactivated": false, "shadow_banned": false, "displayname": "Ann Lee", "avatar_url": null,
                "creation_ts": 1795844420000, "erased": false, "last_seen_ts": null, "locked": false},
                {"name": "@bot:example.org", "user_type": "bot", "displayname": "Bot"}], "total": 3, "next_token": "100"}
                """#, #"{"users": [{"name": "@bo:example.org", "displayname": null}], "total": 3}"#,
            ],
            asked: [["guests=false", "limit=100"], ["from=100"]],
            users: [
                "@ann:example.org, @ann:example.org, Ann Lee",
                "@bo:example.org, @bo:example.org, @bo:example.org",
            ]),
        ExampleAnswers(
            name: "JupyterHub",
            bodies: [
                #"""
                {"items": [{"roles": ["user"], "created": "2026-11-28T05:37:39.860710Z", "last_activity": null,
                "kind": "user", "name": "ann", "pending": null, "server": null, "groups": [], "admin": false}],
                "_pagination": {"offset": 0, "limit": 100, "total": 2, "next": {"offset": 100, "limit": 100,
                "url": "SELF/hub/api/users?limit=100&offset=100"}}}
                """#,
                #"""
                {"items": [{"kind": "user", "name": "bo"}],
                "_pagination": {"offset": 100, "limit": 100, "total": 2, "next": null}}
                """#,
            ],
            asked: [["Accept: application/jupyterhub-pagination+json", "limit=100"], ["offset=100"]],
            users: ["ann, ann, ann", "bo, bo, bo"]),
        ExampleAnswers(
            name: "MediaWiki",
            bodies: [
                #"""
                {"batchcomplete": "", "continue": {"aufrom": "Cy", "continue": "-||"}, "query": {"allusers": [
                {"userid": 1, "name": "Ann Lee", "registration": "2026-11-28T05:42:52Z"}]}}
                """#,
                #"{"batchcomplete": "", "query": {"allusers": [{"userid": 2, "name": "Cy", "registration": ""}]}}"#,
            ],
            asked: [["list=allusers", "auexcludegroup=bot", "format=json", "aulimit=100"], ["aufrom=Cy"]],
            users: ["1, Ann Lee, Ann Lee", "2, Cy, Cy"]),
        ExampleAnswers(
            name: "Mailman",
            bodies: [
                #"""
                {"start": 0, "total_size": 1, "entries": [{"address": "SELF/3.1/addresses/ann@example.org",
                "bounce_score": 0, "last_warning_sent": "0001-01-01T00:00:00", "delivery_mode": "regular",
                "email": "ann@example.org", "list_id": "staff.example.org", "role": "member",
                "user": "SELF/3.1/users/5f8417b6", "display_name": "Ann Lee", "self_link": "SELF/3.1/members/02298f69",
                "member_id": "02298f69", "http_etag": "\"ad28\""}], "http_etag": "\"699e\""}
                """#, #"{"start": 100, "total_size": 1, "http_etag": "\"6d01\""}"#,
            ],
            asked: [["page=1", "count=100", "Authorization: Basic "]],
            users: ["02298f69, Ann Lee, ann@example.org"]),
        ExampleAnswers(
            name: "datasette",
            bodies: [
                #"""
                {"database": "staff", "table": "people", "rows": [{"nr": 1, "login": "ann", "given": "Ann",
                "family": "Lee", "email": "ann@example.org", "phone": "", "job": "Engineer", "active": 1},
                {"nr": 2, "login": "bo", "given": "Bo", "family": "Ek", "active": 0}], "filtered_table_rows_count": 3,
                "next": "2", "next_url": "SELF/staff/people.json?_shape=objects&_size=100&_next=2"}
                """#,
                #"{"rows": [{"nr": 3, "login": "cy", "given": "Cy", "family": "Ng", "active": 1}], "next": null}"#,
            ],
            link: #"<SELF/users?_shape=objects&_size=100&_next=2>; rel="next""#,
            asked: [["_shape=objects", "_size=100"], ["_next=2"]],
            users: ["1, ann, Ann, Lee, ann@example.org, Engineer", "3, cy, Cy, Ng"]),
    ]
}
