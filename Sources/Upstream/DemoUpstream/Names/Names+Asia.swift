extension Nationality {
    static let india = Nationality(
        "IN", "India", phone: "9#########", cell: "8#########", identity: ("UIDAI", "############"),
        """
        men: Aarav, Bharat, Chetan, Dhruv, Eshan, Gautam, Harish, Ishaan, Jayesh, Kabir, Lakshman, Manoj, Nikhil,
        Pranav, Rohan, Siddharth
        women: Aditi, Bhavna, Charvi, Deepa, Esha, Gayatri, Hema, Ishita, Jyoti, Kavya, Lata, Meera, Nandini, Padma,
        Radhika, Sneha
        last: Acharya, Banerjee, Chavan, D'Souza, Deshpande, Gokhale, Iyer, Joshi, Kulkarni, Mukherjee, Nair, Pillai,
        Rao, Saha, Shetty, Tiwari, Venkataraman, Yadav
        streets: Bannerghatta Rd, Church St, Gandhi Marg, Hill Rd, Linking Rd, Mahatma Phule Rd, Tilak Marg
        cities: Ajmer, Bhavnagar, Coimbatore, Guntur, Howrah, Jodhpur, Kochi, Madurai, Nashik, Tirupati
        states: Assam, Bihar, Chandigarh, Gujarat, Kerala, Mizoram, Odisha, Puducherry, Sikkim, Tamil Nadu
        """)

    static let iran = Nationality(
        "IR", "Iran", phone: "0##-########", cell: "09##-###-####", identity: ("", nil),
        """
        men: آرمین, احمدرضا, بهرام, پارسا, پوریا, حسین, دانیال, رضا, سپهر, سینا, شایان, عرشیا, علی, فرهاد, کیان,
        محمدطاها, مهدی, یاسین
        women: آوا, الینا, باران, پارمیس, پریا, ثنا, حدیث, رها, زهرا, ژینا, سارینا, شقایق, غزل, فاطمه, کیمیا, مهسا,
        نگین, هستی, یلدا
        last: احمدی, اصغری, جعفری, حیدری, رضایی, زارعی, سالاری, شاه\u{200C}حسینی, صدری, طاهری, عباسی, قاسمی, کامروا,
        گلشن, محمدخان, مرادی, نجاتی, نیک\u{200C}پور, هاشمی, یاسمی
        streets: آزادی, بلوار کشاورز, پارک لاله, جمهوری, شهید بهشتی, فلسطین, میدان انقلاب, هلال احمر
        cities: اراک, ارومیه, بابل, تهران, خرم\u{200C}آباد, ساری, شهریار, شیراز, کرمانشاه, مشهد, یزد
        states: اردبیل, اصفهان, بوشهر, خراسان شمالی, سیستان و بلوچستان, فارس, گیلان, مازندران, همدان
        """)
}
