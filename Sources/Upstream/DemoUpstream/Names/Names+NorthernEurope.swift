extension Nationality {
    static let denmark = Nationality(
        "DK", "Denmark", phone: "########", cell: "########", identity: ("CPR", "######-####"),
        """
        men: Anders, Bjørn, Christoffer, Emil, Frederik, Gorm, Jeppe, Kasper, Lærke-Bo, Mads, Mikkel, Noah, Rasmus,
        Søren, Tobias, Villads
        women: Agnes, Astrid, Åse, Cecilie, Ditte, Freja, Gry, Ida, Karoline, Lærke, Maja, Mille, Sidsel, Sofie, Tilde,
        Vigga
        last: Andersen, Bjerregård, Christensen, Dalsgaard, Østergaard, Frandsen, Hansen, Holm, Jørgensen, Kjær, Lund,
        Møller, Nørgaard, Poulsen, Rasmussen, Skov, Sørensen, Thygesen
        streets: Bakkevej, Birkevej, Engvej, Kirkegade, Møllevej, Skovbrynet, Solparken, Østergade
        cities: Aabenraa, Frørup, Gråsten, Hørsholm, Nykøbing, Ølstykke, Randers, Rødovre, Sønder Stenderup
        states: Danmark, Hovedstaden, Midtjylland, Nordjylland, Sjælland, Syddanmark
        """)

    static let finland = Nationality(
        "FI", "Finland", phone: "0#-###-###", cell: "04#-###-##-##", identity: ("HETU", "NaNNA###undefined"),
        """
        men: Aatu, Eetu, Elias, Hannu, Iivari, Joona, Juho, Kalle, Lauri, Mikko, Niilo, Onni, Pyry, Rasmus, Topias,
        Väinö
        women: Aino, Anniina, Eevi, Emmi, Helmi, Iida, Kerttu, Lumi, Minttu, Oona, Peppi, Pihla, Siiri, Sylvi, Venla,
        Viivi
        last: Ahonen, Hakala, Heikkinen, Hämäläinen, Jokela, Kärkkäinen, Koskinen, Lähdesmäki, Mäkelä, Niemelä,
        Nyström, Pelkonen, Rintala, Sjöberg, Tähtinen, Väisänen, Waltari, Ylönen
        streets: Aleksanterinkatu, Bulevardi, Hämeenkatu, Itsenäisyydenkatu, Pispalan valtatie, Visiokatu
        cities: Äänekoski, Enontekiö, Hämeenlinna, Kökar, Mäntyharju, Pöytyä, Rovaniemi, Ylöjärvi
        states: Åland, Central Finland, Kainuu, Lapland, Northern Karelia, Pirkanmaa, Uusimaa
        """)

    static let norway = Nationality(
        "NO", "Norway", postcode: .text("0###"), phone: "########", cell: "4#######",
        identity: ("FN", "###########"),
        """
        men: Aksel, Birk, Eirik, Fredrik, Håkon, Iver, Jørn, Kåre, Leif, Magnus, Odin, Pål, Sander, Sivert, Tormod,
        Øystein
        women: Astri, Bodil, Eline, Frøydis, Gunnhild, Hedda, Ingrid, Jorunn, Kaja, Live, Mathilde, Ragnhild, Sølvi,
        Thea, Vilde, Åshild
        last: Aas, Bakke, Brekke, Dahl, Engen, Fjeld, Grønli, Hagen, Johnsgård, Kvåle, Lervåg, Myhre, Nordbø, Ødegård,
        Rønning, Sæther, Tveit, Vågen, Winther
        streets: Åsgata, Bjerkealleen, Elveveien, Fjellveien, Kirkegata, Skøyen terrasse, Strandgaten
        cities: Ålesund, Bodø, Fauske, Flå, Førde, Halden, Karasjok, Mosjøen, Røros, Tromsø, Vadsø
        states: Akershus, Finnmark - Finnmárku, Hedmark, Nordland, Oslo, Østfold, Sogn og Fjordane, Trøndelag
        """)
}
