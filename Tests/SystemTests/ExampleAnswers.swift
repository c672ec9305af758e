/// Answers of the APIs in Directories.md's examples, in the form that the APIs' documentation shows. The
/// people are made up.
struct ExampleAnswers: Sendable {
    /// The API's name in the example's comment.
    let name: String
    /// The answers in order; the last one is repeated.
    let bodies: [String]
    /// The Link header of the first answer, where `SELF` is the server.
    var link = ""
    /// Texts that each request contains in its head or body.
    let asked: [[String]]
    /// Each user's id, username, names, address, numbers, job, department and manager, except missing ones.
    let users: [String]

    static let all = services + servers

    /// APIs of services, by name.
    private static let services = [
        ExampleAnswers(
            name: "Auth0",
            bodies: [
                #"""
                {"start": 0, "limit": 100, "length": 2, "total": 2, "users": [
                {"user_id": "auth0|64a1", "email": "ann@example.org", "email_verified": true, "name": "ann@example.org",
                "given_name": "Ann", "family_name": "Lee", "nickname": "ann", "picture": "https://s.example/ann.png",
                "created_at": "2024-01-15T09:30:00.000Z", "updated_at": "2025-11-20T08:00:00.000Z", "logins_count": 3,
                "identities": [{"connection": "users", "user_id": "64a1", "provider": "auth0", "isSocial": false}]},
                {"user_id": "auth0|64a2", "email": "bo@example.org", "name": "Bo", "blocked": true}]}
                """#, #"{"start": 100, "limit": 100, "length": 0, "total": 2, "users": []}"#,
            ],
            asked: [["include_totals=true", "page=0", "per_page=100"]],
            users: ["auth0|64a1, Ann, Lee, ann@example.org"]),
        ExampleAnswers(
            name: "authentik",
            bodies: [
                #"""
                {"pagination": {"next": 0, "previous": 0, "count": 3, "current": 1, "total_pages": 1, "start_index": 1,
                "end_index": 3}, "results": [
                {"pk": 5, "username": "ann", "name": "Ann Lee", "is_active": true, "last_login": null,
                "date_joined": "2024-01-15T09:30:00.123456Z", "is_superuser": false, "groups": [], "groups_obj": [],
                "email": "ann@example.org", "avatar": "data:image/svg+xml;base64,AA==", "attributes": {}, "uid": "0a1b",
                "path": "users", "type": "internal", "uuid": "6a8f4dd1-0000-4000-8000-000000000005"},
                {"pk": 6, "username": "ldap", "name": "LDAP", "is_active": true, "type": "service_account", "email": ""},
                {"pk": 7, "username": "bo", "name": "Bo Ek", "is_active": false, "type": "internal", "email": ""}]}
                """#, #"{"detail": "Invalid page."}"#,
            ], asked: [["page=1", "page_size=100"]], users: ["5, ann, Ann Lee, ann@example.org"]),
        ExampleAnswers(
            name: "BambooHR",
            bodies: [
                #"""
                {"fields": [{"id": "displayName", "type": "text", "name": "Display name"}], "employees": [
                {"id": "123", "displayName": "Ann Lee", "firstName": "Anna", "lastName": "Lee", "preferredName": "Ann",
                "jobTitle": "Head of Sales", "workPhone": "555-0100", "mobilePhone": "555-0199", "workEmail": "ann@example.org",
                "department": "Sales", "location": "Lindon, Utah", "division": null, "supervisor": "Cy Ng", "photoUploaded": true,
                "photoUrl": "https://images.example/ann.jpg", "workPhoneExtension": "17", "canUploadPhoto": 1},
                {"id": "124", "displayName": "Bo Ek", "firstName": "Bo", "lastName": "Ek", "preferredName": null,
                "workPhone": "555-0101", "workPhoneExtension": "", "mobilePhone": null, "workEmail": null}]}
                """#
            ], asked: [["GET ", "Authorization: Basic S0VZOng="]],
            users: [
                "123, Ann, Lee, ann@example.org, 555-0100 17, 555-0199, Head of Sales, Sales, Cy Ng",
                "124, Bo, Ek, 555-0101",
            ]),
        ExampleAnswers(
            name: "GraphQL",
            bodies: [
                #"""
                {"data": {"organization": {"membersWithRole": {"nodes": [
                {"id": "MDQ6VXNlcjE=", "login": "ann", "name": "Ann Lee", "email": "ann@example.org",
                "avatarUrl": "https://avatars.example/u/1"}, {"id": "MDQ6VXNlcjI=", "login": "bo", "name": null, "email": ""}],
                "pageInfo": {"endCursor": "Y3Vyc29yOnYyOpHOAA==", "hasNextPage": true}}}}}
                """#,
                #"""
                {"data": {"organization": {"membersWithRole": {"nodes": [
                {"id": "MDQ6VXNlcjM=", "login": "cy", "name": "Cy Ng", "email": ""}],
                "pageInfo": {"endCursor": "Y3Vyc29yOnYyOpHOBB==", "hasNextPage": false}}}}}
                """#,
            ],
            asked: [["POST ", #""org":"EXAMPLE""#, #""first":100"#], [#""after":"Y3Vyc29yOnYyOpHOAA==""#]],
            users: [
                "MDQ6VXNlcjE=, ann, Ann Lee, ann@example.org", "MDQ6VXNlcjI=, bo, bo",
                "MDQ6VXNlcjM=, cy, Cy Ng",
            ]),
        ExampleAnswers(
            name: "Jira",
            bodies: [
                #"""
                [{"self": "https://x.example/rest/api/3/user?accountId=5b10", "accountId": "5b10", "accountType": "atlassian",
                "emailAddress": "ann@example.org", "avatarUrls": {"48x48": "https://avatar.example/ann.png"},
                "displayName": "Ann Lee", "active": true, "timeZone": "Europe/Berlin", "locale": "en_US"},
                {"accountId": "5b11", "accountType": "app", "displayName": "Automation", "active": true},
                {"accountId": "5b12", "accountType": "atlassian", "displayName": "Bo Ek", "active": false}]
                """#, "[]",
            ],
            asked: [
                ["startAt=0", "maxResults=100", "Authorization: Basic YW5uQGV4YW1wbGUub3JnOnNlY3JldA=="],
                ["startAt=100", "maxResults=100"],
            ], users: ["5b10, Ann Lee, ann@example.org"]),
        ExampleAnswers(
            name: "JumpCloud",
            bodies: [
                #"""
                {"totalCount": 2, "results": [{"_id": "5f1a", "id": "5f1a", "username": "ann", "email": "ann@example.org",
                "firstname": "Ann", "lastname": "Lee", "displayname": "Ann Lee", "jobTitle": "Head of Sales", "department": "Sales",
                "company": "Example", "manager": "5f1c", "created": "2024-01-15T09:30:00.123Z", "suspended": false,
                "activated": true}, {"_id": "5f1b", "username": "bo", "email": "bo@example.org", "suspended": true}]}
                """#, #"{"totalCount": 2, "results": []}"#,
            ], asked: [["skip=0", "limit=100", "x-api-key: secret"]],
            users: ["5f1a, ann, Ann, Lee, ann@example.org, Head of Sales, Sales, 5f1c"]),
        ExampleAnswers(
            name: "Nextcloud",
            bodies: [
                #"""
                {"ocs": {"meta": {"status": "ok", "statuscode": 200, "message": "OK"}, "data": {"users": {
                "ann": {"enabled": true, "storageLocation": "/data/ann", "id": "ann", "lastLogin": 1732437600000,
                "backend": "Database", "subadmin": [], "quota": {"quota": "none", "used": 0}, "manager": "cy",
                "email": "ann@example.org", "additional_mail": ["lee@example.org"], "displayname": "Ann Lee",
                "display-name": "Ann Lee", "phone": "+15550100", "address": "1 Elm Street", "website": "", "twitter": "",
                "organisation": "Example", "role": "Head of Sales", "groups": ["admin"], "language": "en", "locale": ""},
                "b.ek": {"enabled": false, "id": "b.ek", "email": null, "displayname": "Bo Ek"},
                "7": {"enabled": true, "id": "7", "email": null, "additional_mail": [], "displayname": "Seven", "phone": ""}}}}}
                """#,
                #"{"ocs": {"meta": {"status": "ok", "statuscode": 200, "message": "OK"}, "data": {"users": []}}}"#,
            ],
            asked: [
                [
                    "format=json", "limit=100", "OCS-APIRequest: true",
                    "Authorization: Basic YW5uOnNlY3JldA==",
                ], ["offset=3"],
            ], users: ["7, 7, Seven", "ann, ann, Ann Lee, ann@example.org, +15550100, Head of Sales, cy"]),
        ExampleAnswers(
            name: "Personio",
            bodies: [
                #"""
                {"_data": [{"id": "1001", "email": "ann@example.org", "created_at": "2024-01-15T09:30:00Z",
                "updated_at": "2025-11-20T08:00:00Z", "first_name": "Anna", "last_name": "Lee", "preferred_name": "Ann",
                "gender": "FEMALE", "profile_picture": {"url": "https://api.example/ann"}, "status": "ACTIVE",
                "custom_attributes": [], "employments": [{"id": "eb3f"}], "_meta": {"links": {"self": {"href": "SELF/1001"}}}},
                {"id": "1002", "first_name": "Bo", "last_name": "Ek", "preferred_name": "", "status": "INACTIVE"}],
                "_meta": {"links": {"self": {"href": "SELF/v2/persons?limit=50"},
                "next": {"href": "SELF/v2/persons?limit=50&cursor=Y3Vy"}}}}
                """#,
                #"{"_data": [], "_meta": {"links": {"self": {"href": "SELF/v2/persons?limit=50&cursor=Y3Vy"}}}}"#,
            ],
            asked: [
                ["POST ", "grant_type=client_credentials", "client_secret=secret"], ["limit=50"],
                ["cursor=Y3Vy"],
            ],
            users: ["1001, Ann, Lee, ann@example.org"]),
        ExampleAnswers(
            name: "ServiceNow",
            bodies: [
                #"""
                {"result": [{"sys_id": "02826bf0", "user_name": "ann.lee", "first_name": "Ann", "last_name": "Lee",
                "name": "Ann Lee", "active": "true", "email": "ann@example.org", "phone": "555-0100", "mobile_phone": "",
                "title": "Head of Sales", "department": {"display_value": "Sales", "link": "SELF/api/now/table/cmn_department/1"},
                "company": "", "manager": {"display_value": "Cy Ng", "link": "SELF/api/now/table/sys_user/2"}}]}
                """#,
                #"{"result": [{"sys_id": "02826bf1", "user_name": "cy.ng", "first_name": "Cy", "last_name": "Ng", "manager": ""}]}"#,
            ],
            link: """
                <SELF/users?sysparm_limit=100&sysparm_offset=0>;rel="first",\
                <SELF/users?sysparm_limit=100&sysparm_offset=100>;rel="next"
                """,
            asked: [
                ["sysparm_limit=100", "sysparm_display_value=true"], ["sysparm_offset=100"],
            ],
            users: [
                "02826bf0, ann.lee, Ann, Lee, ann@example.org, 555-0100, Head of Sales, Sales, Cy Ng",
                "02826bf1, cy.ng, Cy, Ng",
            ]),
        ExampleAnswers(
            name: "Slack",
            bodies: [
                #"""
                {"ok": true, "members": [{"id": "W012", "team_id": "T012", "name": "ann", "deleted": false, "real_name": "Ann Lee",
                "tz": "Europe/Berlin", "profile": {"title": "Head of Sales", "phone": "+15550100", "real_name": "Ann Lee",
                "display_name": "ann", "email": "ann@example.org", "first_name": "Ann", "last_name": "Lee",
                "image_72": "https://s.example/72.png", "image_512": "https://s.example/512.png"}, "is_bot": false,
                "updated": 1732437600}, {"id": "USLACKBOT", "name": "slackbot", "deleted": false, "is_bot": false},
                {"id": "W013", "name": "bo", "deleted": true, "is_bot": false},
                {"id": "W014", "name": "bot", "deleted": false, "is_bot": true}], "cache_ts": 1732437600,
                "response_metadata": {"next_cursor": "dXNlcjpVMEc5V0ZYTlo="}}
                """#,
                #"{"ok": true, "members": [{"id": "W015", "name": "cy", "profile": {}}], "response_metadata": {"next_cursor": ""}}"#,
            ], asked: [["limit=200"], ["cursor=dXNlcjpVMEc5V0ZYTlo"]],
            users: ["W012, ann, Ann, Lee, ann@example.org, +15550100, Head of Sales", "W015, cy, cy"]),
        ExampleAnswers(
            name: "Zendesk",
            bodies: [
                #"""
                {"users": [{"id": 35436, "url": "https://x.example/api/v2/users/35436.json", "name": "Ann Lee",
                "email": "ann@example.org", "created_at": "2024-01-15T09:30:00Z", "updated_at": "2025-11-20T08:00:00Z",
                "phone": null, "photo": {"content_url": "https://x.example/ann.png", "thumbnails": []}, "role": "admin",
                "active": true, "suspended": false}, {"id": 35437, "name": "Bo Ek", "email": null, "photo": null,
                "active": true, "suspended": true}], "meta": {"has_more": true, "after_cursor": "eyJv", "before_cursor": "eyJi"},
                "links": {"prev": null, "next": "SELF/users?page%5Bafter%5D=eyJv"}}
                """#,
                #"""
                {"users": [{"id": 35438, "name": "Cy Ng", "email": "cy@example.org", "active": true}],
                "meta": {"has_more": false, "after_cursor": "eyJz", "before_cursor": "eyJu"}, "links": {"next": null}}
                """#,
            ],
            asked: [
                ["page%5Bsize%5D=100", "role%5B%5D=agent", "role%5B%5D=admin", "Authorization: Basic "],
                ["page%5Bafter%5D=eyJv"],
            ], users: ["35436, Ann Lee, ann@example.org", "35438, Cy Ng, cy@example.org"]),
        ExampleAnswers(
            name: "Zitadel",
            bodies: [
                #"""
                {"details": {"totalResult": "2", "timestamp": "2026-01-02T03:04:05.123Z"}, "result": [
                {"userId": "2711", "details": {"sequence": "7", "changeDate": "2025-11-20T08:00:00.000Z"},
                "state": "USER_STATE_ACTIVE", "username": "ann", "loginNames": ["ann@example.org"],
                "preferredLoginName": "ann@example.org", "human": {"profile": {"givenName": "Ann", "familyName": "Lee",
                "displayName": "Ann Lee", "preferredLanguage": "en", "gender": "GENDER_FEMALE"},
                "email": {"email": "ann@example.org", "isVerified": true}, "phone": {"phone": "+15550100"}}},
                {"userId": "2712", "state": "USER_STATE_ACTIVE", "username": "ci", "preferredLoginName": "ci@example.org",
                "machine": {"name": "ci", "hasSecret": true}}]}
                """#, #"{"details": {"totalResult": "2", "timestamp": "2026-01-02T03:04:05.123Z"}}"#,
            ], asked: [["POST ", #""offset":0"#, #""limit":100"#, "USER_STATE_ACTIVE"]],
            users: ["2711, ann@example.org, Ann, Lee, ann@example.org, +15550100"]),
    ]
}
