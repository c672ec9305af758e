import CommandSupport
import Commands
import Model
import TerminalViews
import Testing
import UserdAPI

struct LoadedPreviewTests {
    private func drawn(_ width: Int, _ charset: Charset = .unicode) -> String {
        render(Preview(.loaded), width: width, colour: false, charset: charset)
    }

    @Test("On 80 columns, the widest cells of the table are cut")
    func loaded80() {
        #expect(
            drawn(80) == #"""
                $ userctl list
                Name               Email     Phone     Job title  Department  City      Nat  Age
                Nichols, Jennie    jennie.…  (272) 7…  Editor i…  Editing     Billings  US    33
                Ng
                \#u{2068}علیزاده, آدرینا\#u{2069}                                               \#u{2068}کرمان\#u{2069}     IR
                \#u{2068}בן־דוד, נועה\#u{2069}                                                  \#u{2068}תל אביב\#u{2069}   IL
                Ґжицький, Світог…            (067) P…             Відділ ка…            UA
                髙橋 花子          hanako@…                                   東京      JP
                श्रीवास्तव, क्षितिज                                              मुंबई       IN
                เพ็ชรรัตน์, กัญญ์                                                  เชียงใหม่   TH
                O’Neill 🏳️‍🌈, Zoë …                                                       IE
                Reception (Øster…
                A\#u{30A}ngstro\#u{308}m , Jose\#u{301}                                                         ES
                "O'Brien", & <So…  o'brien…                                             IE
                \u{1B}]0;owned\u…            \u{9B}1m
                hausenbergerdorf…

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

    @Test("On 120 columns, more cells of the table fit")
    func loaded120() {
        let list = drawn(120).split(separator: "\n\n")[0]
        #expect(
            list == #"""
                $ userctl list
                Name                                                   Email       Phone       Job title  Department  City      Nat  Age
                Nichols, Jennie                                        jennie.ni…  (272) 790…  Editor i…  Editing     Billings  US    33
                Ng
                \#u{2068}علیزاده, آدرینا\#u{2069}                                                                                       \#u{2068}کرمان\#u{2069}     IR
                \#u{2068}בן־דוד, נועה\#u{2069}                                                                                          \#u{2068}תל אביב\#u{2069}   IL
                Ґжицький, Світогор                                                 (067) P51…             Відділ ка…            UA
                髙橋 花子                                              hanako@ex…                                     東京      JP
                श्रीवास्तव, क्षितिज                                                                                      मुंबई       IN
                เพ็ชรรัตน์, กัญญ์                                                                                          เชียงใหม่   TH
                O’Neill 🏳️‍🌈, Zoë 👩🏽‍🚀                                                                                              IE
                Reception (Øster Voldgade)
                A\#u{30A}ngstro\#u{308}m , Jose\#u{301}                                                                                                 ES
                "O'Brien", & <Sons>\u{A}, \u{1B}[31mRed\u{202E}        o'brien@e…                                               IE
                \u{1B}]0;owned\u{1B}\\u{D}\u{8}Eve\u{2066}\u{202E}, …              \u{9B}1m
                hausenbergerdorffhausenbergerdorffhausenbergerdorffh…
                """#)
    }

    @Test("In a C locale the output is ASCII, and columns still line up")
    func ascii() {
        let list = drawn(80, .ascii).split(separator: "\n\n")[0]
        #expect(
            list == #"""
                $ userctl list
                Name               Email     Phone     Job title  Department  City      Nat  Age
                Nichols, Jennie    jenni...  (272)...  Editor...  Editing     Billings  US    33
                Ng
                \u{639}\u{644}...                                             \u{6A...  IR
                \u{5D1}\u{5DF}...                                             \u{5E...  IL
                \u{490}\u{436}...            (067)...             \u{412}...            UA
                \u{9AD9}\u{6A4...  hanak...                                   \u{67...  JP
                \u{936}\u{94D}...                                             \u{92...  IN
                \u{E40}\u{E1E}...                                             \u{E4...  TH
                O'Neill \u{1F3...                                                       IE
                Reception (\u{...
                A\u{30A}ngstro...                                                       ES
                "O'Brien", & <...  o'bri...                                             IE
                \u{1B}]0;owned...            \u{9B}1m
                hausenbergerdo...
                """#)
    }
}
