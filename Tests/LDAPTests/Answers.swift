import TestSupport
import Testing

/// A format's list of users: a record with `$name;` for a person's values, and what is around all records.
struct Answers: Sendable, CustomTestStringConvertible {
    let name: String
    let around: (String, String)
    let record: String
    var yaml: String?

    var testDescription: String { name }

    func list(_ people: Canaries) -> String {
        around.0 + people.people.indices.map { people.filled(record, $0) }.joined(separator: ", ") + around.1
    }

    static let all = [
        Answers(
            name: "scim", around: (#"{"totalResults": 30, "Resources": ["#, "]}"),
            record: #"""
                {"id": "$id;", "userName": "$user;", "displayName": "$display;", "title": "$job;", "active": true, "custom": "$custom;",
                "name": {"givenName": "$given;", "familyName": "$family;", "honorificPrefix": "$honorific;"},
                "emails": [{"value": "$mail;", "type": "work"}], "phoneNumbers": [{"value": "$phone;"}, {"value": "$cell;"}],
                "addresses": [{"streetAddress": "$street;", "locality": "$city;", "region": "$state;", "postalCode": "$post;", "country": "$country;"}],
                "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "$department;", "organization": "$company;",
                "employeeNumber": "$number;", "manager": {"value": "$boss;", "displayName": "$chief;"}}, "photos": [{"value": "https://$host;/$photo;"}]}
                """#),
        Answers(
            name: "graph", around: (#"{"value": ["#, "]}"),
            record: #"""
                {"id": "$id;", "userPrincipalName": "$user;", "givenName": "$given;", "surname": "$family;", "displayName": "$display;",
                "mail": "$mail;", "otherMails": ["$custom;@x.example"], "businessPhones": ["$phone;"], "mobilePhone": "$cell;", "jobTitle": "$job;",
                "department": "$department;", "companyName": "$company;", "employeeId": "$number;", "officeLocation": "$office;",
                "streetAddress": "$street;", "city": "$city;", "state": "$state;", "postalCode": "$post;", "country": "$country;",
                "manager": {"id": "$boss;", "displayName": "$chief;"}, "extension_custom": "$custom;"}
                """#),
        Answers(
            name: "google", around: (#"{"users": ["#, "]}"),
            record: #"""
                {"id": "$id;", "primaryEmail": "$mail;", "name": {"givenName": "$given;", "familyName": "$family;", "fullName": "$display;"},
                "emails": [{"address": "$mail;", "primary": true}], "phones": [{"value": "$phone;", "type": "work"}], "customSchemas": {"a": "$custom;"},
                "organizations": [{"title": "$job;", "department": "$department;", "name": "$company;", "primary": true}],
                "externalIds": [{"type": "organization", "value": "$number;"}], "locations": [{"type": "desk", "buildingId": "$office;"}],
                "relations": [{"type": "manager", "value": "$boss;"}], "thumbnailPhotoUrl": "https://$host;/$photo;",
                "addresses": [{"streetAddress": "$street;", "locality": "$city;", "region": "$state;", "postalCode": "$post;", "country": "$country;"}]}
                """#),
        Answers(
            name: "google-people", around: (#"{"people": ["#, "]}"),
            record: #"""
                {"resourceName": "$id;", "names": [{"givenName": "$given;", "familyName": "$family;", "displayName": "$display;", "honorificPrefix": "$honorific;"}],
                "emailAddresses": [{"value": "$mail;"}], "phoneNumbers": [{"value": "$phone;"}], "userDefined": [{"value": "$custom;"}],
                "organizations": [{"title": "$job;", "department": "$department;", "name": "$company;"}], "photos": [{"url": "https://$host;/$photo;"}],
                "externalIds": [{"type": "organization", "value": "$number;"}], "relations": [{"type": "manager", "person": "$boss;"}],
                "addresses": [{"streetAddress": "$street;", "city": "$city;", "region": "$state;", "postalCode": "$post;", "country": "$country;"}]}
                """#),
        Answers(
            name: "okta", around: ("[", "]"),
            record: #"""
                {"id": "$id;", "status": "ACTIVE", "profile": {"login": "$user;", "firstName": "$given;", "lastName": "$family;",
                "displayName": "$display;", "email": "$mail;", "primaryPhone": "$phone;", "mobilePhone": "$cell;", "title": "$job;",
                "department": "$department;", "organization": "$company;", "employeeNumber": "$number;", "managerId": "$boss;", "manager": "$chief;",
                "streetAddress": "$street;", "city": "$city;", "state": "$state;", "zipCode": "$post;", "countryCode": "$country;", "own": "$custom;"}}
                """#),
        Answers(
            name: "keycloak", around: ("[", "]"),
            record: #"""
                {"id": "$id;", "username": "$user;", "firstName": "$given;", "lastName": "$family;", "email": "$mail;", "enabled": true,
                "attributes": {"phoneNumber": ["$phone;"], "mobile": ["$cell;"], "title": ["$job;"], "department": ["$department;"],
                "company": ["$company;"], "own": ["$custom;"], "picture": ["https://$host;/$photo;"]}}
                """#),
        Answers(
            name: "gitlab", around: ("[", "]"),
            record: #"""
                {"id": $number;, "username": "$user;", "name": "$display;", "email": "$mail;", "job_title": "$job;", "state": "active",
                "organization": "$company;", "created_at": "$born;", "avatar_url": "https://$host;/$photo;", "bio": "$custom;"}
                """#),
        Answers(
            name: "randomuser", around: (#"{"results": ["#, "]}"),
            record: #"""
                {"login": {"uuid": "$id;", "username": "$user;"}, "name": {"title": "$honorific;", "first": "$given;", "last": "$family;"},
                "email": "$mail;", "phone": "$phone;", "cell": "$cell;", "dob": {"date": "$born;", "age": 47}, "nat": "CH", "id": {"value": "$number;"},
                "location": {"street": {"number": $post;, "name": "$street;"}, "city": "$city;", "state": "$state;", "postcode": "$post;",
                "country": "$country;", "coordinates": {"latitude": "47.$latitude;", "longitude": "8.5"}}, "picture": {"large": "https://$host;/$photo;"}}
                """#),
        Answers(
            name: "userd", around: (#"{"users": ["#, "]}"),
            record: #"""
                {"id": "$id;", "username": "$user;", "name": {"title": "$honorific;", "first": "$given;", "last": "$family;"},
                "display_name": "$display;", "email": "$mail;", "phone": "$phone;", "cell": "$cell;", "job_title": "$job;", "department": "$department;",
                "company": "$company;", "employee_number": "$number;", "office": "$office;", "manager": {"id": "$boss;", "name": "$chief;"},
                "born_at": "$born;", "address": {"street": "$street;", "city": "$city;", "state": "$state;", "postcode": "$post;",
                "country": "$country;", "latitude": 47.$latitude;}, "picture": {"large": "https://$host;/$photo;"}}
                """#),
        Answers(
            name: "json", around: ("[", "]"),
            record: #"""
                {"id": "$id;", "login": "$user;", "given": "$given;", "mail": "$mail;", "tel": {"work": "$phone;"}, "own": {"$custom;": "$job;"}}
                """#,
            yaml: "{id: /id, username: /login, given: /given, email: /mail, phones: /tel, job_title: /own}"),
    ]
}
