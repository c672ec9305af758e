extension Nationality {
    static let switzerland = Nationality(
        "CH", "Switzerland", postcode: .number(1000...9999), phone: "07# ### ## ##", cell: "07# ### ## ##",
        identity: ("AVS", "756.####.####.##"),
        """
        titles of men: Monsieur
        titles of women: Madame, Mademoiselle
        men: Beat, Bruno, Damian, Fabrice, Gian, Jürg, Lorenzo, Luca, Marius, Nando, Olivier, Reto, Stéphane, Thierry,
        Urs, Yann
        women: Annalisa, Béatrice, Chantal, Corina, Fränzi, Giulia, Hélène, Katja, Ladina, Margrit, Mégane, Noémie,
        Regula, Sandra, Vreni, Zoé
        last: Aebischer, Bachmann, Berger, Bernasconi, Brönnimann, Caduff, Dubois, Favre, Gerber, Huber, Lüthi, Meier,
        Perret, Rochat, Rüegg, Stäheli, Wälchli, Zürcher
        streets: Bahnhofstrasse, Chemin des Vignes, Dorfstrasse, Rue du Rhône, Via San Gottardo, Zürichstrasse
        cities: Baar, Bülach, Carouge (GE), Chiasso, Delémont, Genève, Moutier, Stocken-Höfen, Uster, Zürich
        states: Appenzell Innerrhoden, Bern, Genève, Graubünden, Neuchâtel, Schaffhausen, Ticino, Zürich
        """)

    static let germany = Nationality(
        "DE", "Germany", phone: "0###-#######", cell: "017#-#######", identity: ("SVNR", "## ###### @ ###"),
        """
        men: Alwin, Björn, Detlef, Emil, Falk, Götz, Hannes, Ingo, Jörg, Konrad, Lutz, Marten, Niklas, Ottmar, Rüdiger,
        Sönke, Veit
        women: Annegret, Bärbel, Dörte, Elfriede, Frauke, Gerlinde, Heike, Ilse, Jördis, Kathi, Lieselotte, Mechthild,
        Nele, Rosemarie, Svenja, Ute
        last: Brückner, Dörfler, Eichhorn, Faber, Großmann, Hübner, Kästner, Krüger, Löffler, Mayer, Nagel, Pötzsch,
        Reuter, Schäfer, Strauß, Thiele, von der Heide, Weiß, Wurst, Zöllner
        streets: Ahornweg, Bahnhofstraße, Buchenweg, Gartenstraße, Grüner Weg, Lindenstraße, Mühlenweg, Schulstraße
        cities: Aßlar, Bad Kötzting, Coburg, Falkenberg/Elster, Görlitz, Jülich, Lübeck, Münster, Plön, Weißenburg
        states: Baden-Württemberg, Bayern, Brandenburg, Hessen, Mecklenburg-Vorpommern, Sachsen, Thüringen
        """)

    static let france = Nationality(
        "FR", "France", phone: "0#-##-##-##-##", cell: "06-##-##-##-##",
        identity: ("INSEE", "1NNaN######## ##"),
        """
        men: Adrien, Bastien, Clément, Dorian, Émile, Florent, Grégoire, Hugo, Jérémy, Kylian, Loïc, Maël, Noé, Pierre,
        Rémi, Théo
        women: Alizée, Bérénice, Capucine, Élise, Fanny, Gaëlle, Héloïse, Inès, Jeanne, Louane, Maëlys, Océane,
        Pauline, Romane, Solène, Zélie
        last: Barbier, Brun, Chevalier, Da Silva, Duvivier, Faure, Garçon, Hubert, Lacroix, Lemaître, Mercier, Noël,
        Perrin, Renard, Roux, Saint-Exupère, Vidal, Vincent
        streets: Avenue des Tilleuls, Place de L'Église, Quai Sully, Rue de la Mairie, Rue du 8 Mai, Rue Bossuet
        cities: Ajaccio, Argenteuil, Avignon, Béziers, Créteil, Limoges, Nîmes, Orléans, Saint-Étienne, Vénissieux
        states: Ardèche, Corrèze, Côte-d'Or, Haute-Loire, Hérault, Isère, Lot-et-Garonne, Réunion, Vendée
        """)

    static let netherlands = Nationality(
        "NL", "Netherlands", postcode: .text("#### @@"), phone: "(0##) #######", cell: "(06) ########",
        identity: ("BSN", "########"),
        """
        men: Bas, Coen, Diederik, Evert, Floris, Gijs, Hendrik, Jaap, Klaas, Lodewijk, Maarten, Pieter, Ruben, Sjoerd,
        Teun, Wouter
        women: Anouk, Betsie, Céleste, Dieuwertje, Elske, Famke, Grietje, Hanneke, Josepha, Lieke, Marijke, Nienke,
        Renée, Sterre, Tjitske, Zoë
        last: Aarts, Bakker, De Vries, Dijkstra, Hoekstra, In 't Veld, Jansen, Koster, Mulder, Nijhuis, Op den Camp,
        Schouten, Ten Broeke, Van den Berg, Van der Linden, Van Slooten, Visser, Wiersma
        streets: Dorpsstraat, Graafseweg, Julianalaan, Kerkstraat, Molenweg, Nieuwe Gracht, Wilgenlaan
        cities: Alkmaar, Breda, Delft, Feanwâlden, Goes, Hoorn, Maastricht, Meppel, 's-Hertogenbosch, Zwolle
        states: Drenthe, Flevoland, Friesland, Gelderland, Limburg, Noord-Brabant, Overijssel, Zuid-Holland
        """)
}
