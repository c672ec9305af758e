import Model
import TerminalViews
import Testing
import UserdAPI

@testable import UserctlCommands

struct LoadedPreviewTests {
    private func drawn(_ width: Int, _ charset: Charset = .unicode) -> String {
        render(Preview(phase: .loaded), width: width, colour: false, charset: charset)
    }

    @Test("On 80 columns, the table has name, address and number")
    func loaded80() {
        #expect(
            drawn(80) == #"""
                $ userctl list
                Name                                  Email                       Phone
                Nichols, Jennie                       jennie.nichols@example.com  (272) 790-0888
                Ng
                \#u{2068}علیزاده, آدرینا\#u{2069}
                \#u{2068}בן־דוד, נועה\#u{2069}
                Ґжицький, Світогор                                                (067) P51-8406
                髙橋 花子                             hanako@example.com
                श्रीवास्तव, क्षितिज
                เพ็ชรรัตน์, กัญญ์
                O’Neill 🏳️‍🌈, Zoë 👩🏽‍🚀
                Reception (Øster Voldgade)
                A\#u{30A}ngstro\#u{308}m , Jose\#u{301}
                "O'Brien", & <Sons>\u{A}, \u{1B}[31…  o'brien@example.com
                \u{1B}]0;owned\u{1B}\\u{D}\u{8}Eve\…                              \u{9B}1m
                hausenbergerdorffhausenbergerdorffh…

                $ userctl show bigswan571
                Jennie Nichols (Editing)
                  Name          Ms Jennie Nichols
                  Job title     Editor in Chief
                  Department    Editing
                  Company       Example News
                  Employee no.  00417
                  Office        Room 4.12
                  Manager       髙橋花子
                  Email         jennie.nichols@example.com (work)
                  Email         bigswan571@example.org (home)
                  Phone         (272) 790-0888 (work)
                  Cell          (489) 330-2385 (mobile)
                  Phone         +1 272 790 0889 (fax)
                  Phone         (406) 555-0142
                  Username      bigswan571
                  Born          1992-03-08, 33 years old
                  Gender        female
                  Nationality   US
                  Street        8929 Valwood Pkwy
                  City          06310 Billings
                  State         Michigan
                  Country       United States
                  Coordinates   -69.8246, 134.8719
                  Time zone     UTC+9:30
                  Registered    2007-07-09
                  Updated       2026-01-02
                  Picture       https://mock.invalid/jennie.large.png
                  ID            sample-full

                $ userctl status
                Users
                  Phase      loaded
                  Since      3 min ago
                  Cached     14 users
                  Synced     3 min ago
                  Next sync  in 12 min

                Facts
                  Phase      loaded
                  Since      3 min ago
                  Cached     6 facts
                  Synced     3 min ago
                  Next sync  in 12 min

                userd \#(version), started 2 h ago

                """#)
    }

    @Test("On 120 columns, more columns of the table fit")
    func loaded120() {
        let list = drawn(120).split(separator: "\n\n")[0]
        #expect(
            list == #"""
                $ userctl list
                Name                                Email                       Phone           Job title        Department     City
                Nichols, Jennie                     jennie.nichols@example.com  (272) 790-0888  Editor in Chief  Editing        Billings
                Ng
                \#u{2068}علیزاده, آدرینا\#u{2069}                                                                                                 \#u{2068}کرمان\#u{2069}
                \#u{2068}בן־דוד, נועה\#u{2069}                                                                                                    \#u{2068}תל אביב\#u{2069}
                Ґжицький, Світогор                                              (067) P51-8406                   Відділ кадрів
                髙橋 花子                           hanako@example.com                                                          東京
                श्रीवास्तव, क्षितिज                                                                                                मुंबई
                เพ็ชรรัตน์, กัญญ์                                                                                                    เชียงใหม่
                O’Neill 🏳️‍🌈, Zoë 👩🏽‍🚀
                Reception (Øster Voldgade)
                A\#u{30A}ngstro\#u{308}m , Jose\#u{301}
                "O'Brien", & <Sons>\u{A}, \u{1B}[…  o'brien@example.com
                \u{1B}]0;owned\u{1B}\\u{D}\u{8}Ev…                              \u{9B}1m
                hausenbergerdorffhausenbergerdorf…
                """#)
    }

    @Test("In a C locale the output is ASCII, and columns still line up")
    func ascii() {
        let list = drawn(80, .ascii).split(separator: "\n\n")[0]
        #expect(
            list == #"""
                $ userctl list
                Name                                  Email                       Phone
                Nichols, Jennie                       jennie.nichols@example.com  (272) 790-0888
                Ng
                \u{639}\u{644}\u{6CC}\u{632}\u{62...
                \u{5D1}\u{5DF}\u{5BE}\u{5D3}\u{5D...
                \u{490}\u{436}\u{438}\u{446}\u{44...                              (067) P51-8406
                \u{9AD9}\u{6A4B} \u{82B1}\u{5B50}     hanako@example.com
                \u{936}\u{94D}\u{930}\u{940}\u{93...
                \u{E40}\u{E1E}\u{E47}\u{E0A}\u{E2...
                O'Neill \u{1F3F3}\u{FE0F}\u{200D}...
                Reception (\u{D8}ster Voldgade)
                A\u{30A}ngstro\u{308}m , Jose\u{301}
                "O'Brien", & <Sons>\u{A}, \u{1B}[...  o'brien@example.com
                \u{1B}]0;owned\u{1B}\\u{D}\u{8}Ev...                              \u{9B}1m
                hausenbergerdorffhausenbergerdorf...
                """#)
    }
}
