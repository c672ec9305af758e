extension Nationality {
    static let australia = Nationality(
        "AU", "Australia", postcode: .number(200...9999), phone: "0#-####-####", cell: "04##-###-###",
        identity: ("TFN", "#########"),
        """
        men: Archie, Brayden, Cooper, Darcy, Ethan, Flynn, Hamish, Hunter, Jarrod, Kane, Lachlan, Mitchell, Nate,
        Riley, Tyson, Zac
        women: Addison, Amelie, Bronte, Chelsea, Courtney, Ebony, Georgia, Imogen, Isla, Kylie, Matilda, Mia, Narelle,
        Sienna, Tahlia, Willow
        last: Armstrong, Barlow, Bishop, Carrington, Dawson, Fielding, Gallagher, Hartley, Jennings, Kingsley, Lawson,
        McKenzie, O'Brien, Pascoe, Ridley, Sheridan, Thornton, Wheeler
        streets: Bridge Rd, Eucalypt Ave, Fig Tree Dr, Harbour St, Kookaburra Ln, Station Rd, Wattle St
        cities: Albury, Ballarat, Bendigo, Bunbury, Cairns, Geelong, Hobart, Mackay, Townsville
        states: New South Wales, Queensland, South Australia, Tasmania, Victoria, Western Australia
        """)

    static let canada = Nationality(
        "CA", "Canada", postcode: .text("@#@ #@#"), phone: "@## @##-####", cell: "@## @##-####",
        identity: ("SIN", "#########"),
        """
        men: Antoine, Benjamin, Blake, Cedric, Dominic, Étienne, Félix, Gabriel, Jacob, Logan, Mason, Nathan, Owen,
        Philippe, Samuel, Xavier
        women: Abigail, Amélie, Brooklyn, Camille, Charlotte, Delphine, Emma, Florence, Hailey, Juliette, Léa, Madison,
        Noémie, Olivia, Rosalie, Zoé
        last: Bélanger, Bouchard, Campbell, Côté, Denis, Fortin, Gagné, Harris, Lavoie, Lefebvre, MacDonald, Mackay,
        Ouellet, Patel, Roy, Singh, Tremblay, Wong
        streets: Bay Street, Chemin du Lac, Concession Road 6, Lakeview Ave, Maple Ave, Queen St, Rue Principale
        cities: Bath, Fort Erie, Kingston, Minto, Montréal, Red Deer, Saint-Jérôme, Trout Lake, Vancouver
        states: Alberta, British Columbia, Manitoba, New Brunswick, Nova Scotia, Ontario, Québec, Yukon
        """)

    static let unitedKingdom = Nationality(
        "GB", "United Kingdom", postcode: .text("@@# #@@"), phone: "01### #####", cell: "07##-###-###",
        identity: ("NINO", "@@ ## ## ## @"),
        """
        men: Alfie, Callum, Charles, Dylan, Edward, Frederick, George, Harvey, Jack, Leo, Lewis, Oliver, Oscar, Rhys,
        Theo, William
        women: Alice, Beatrice, Charlotte, Daisy, Eleanor, Florence, Freya, Harriet, Imogen, Lily, Maisie, Phoebe,
        Poppy, Rosie, Sophie, Victoria
        last: Ashworth, Barnes, Bennett, Carr, Clarke, Davies, Evans, Fletcher, Hughes, Llewellyn, Mills, Neal, Palmer,
        Rhodes, Shaw, Smythe-Jones, Turner, Webb
        streets: Church Lane, Grove Road, High Street, Kings Road, Mill Lane, Park Avenue, Station Road
        cities: Bath, Carlisle, Derby, Exeter, Lisburn, Newport, Perth, St Albans, Stirling, Worcester
        states: Avon, Borders, County Antrim, Cumbria, Dorset, Dyfed, Essex, Kent, Rutland, West Sussex
        """)

    static let ireland = Nationality(
        "IE", "Ireland", phone: "0##-###-####", cell: "081-###-####", identity: ("PPS", "#######T"),
        """
        men: Aidan, Brendan, Cian, Colm, Declan, Eoin, Fionn, Kevin, Liam, Niall, Oisín, Pádraig, Rory, Seán, Tadhg,
        Tomás
        women: Aoife, Bríd, Caoimhe, Ciara, Deirdre, Éabha, Fiadh, Gráinne, Maeve, Niamh, Orla, Róisín, Saoirse, Síle,
        Sinéad, Úna
        last: Byrne, Doyle, Fitzgerald, Flynn, Gallagher, Hayes, Kavanagh, Lynch, Murphy, Nolan, Ó Briain,
        Ní Dhomhnaill, O'Connor, O'Sullivan, Quinn, Ryan, Walsh, Whelan
        streets: Church Road, Henry Street, Mill Road, New Road, Patrick Street, The Green, Westmoreland Street
        cities: Ardee, Blessington, Bray, Clonmel, Dún Laoghaire, Ennis, Galway, Navan, Sallins, Tralee
        states: Clare, Cork City, Donegal, Kerry, Laois, Mayo, Monaghan, Sligo, Waterford, Wexford
        """)

    static let newZealand = Nationality(
        "NZ", "New Zealand", phone: "(###)-###-####", cell: "(###)-###-####", identity: ("", nil),
        """
        men: Angus, Blake, Caleb, Finn, George, Hemi, Isaac, Jayden, Keanu, Lachlan, Nikau, Oscar, Quinn, Tama, Toby,
        Wiremu
        women: Amaia, Anahera, Brooke, Charlotte, Ella, Grace, Hana, Isla, Kaia, Lucy, Maia, Ngaire, Paige, Ruby, Tui,
        Zara
        last: Anderson, Brown, Chen, Edwards, Green, Harris, Hēnare, Kumar, Martin, Ngata, Patel, Robinson, Singh,
        Taylor, Te Rangi, Walker, Williams, Wright
        streets: Colombo Street, Customhouse Quay, Kauri Road, Lake Road, Manuka Ave, Tāmaki Drive, Willis Street
        cities: Gisborne, Hastings, Invercargill, Lower Hutt, Masterton, Nelson, Taupō, Timaru, Whangārei
        states: Auckland, Bay of Plenty, Canterbury, Marlborough, Northland, Otago, Taranaki, Waikato
        """)

    static let unitedStates = Nationality(
        "US", "United States", phone: "(###)-###-####", cell: "(###)-###-####",
        identity: ("SSN", "###-##-####"),
        """
        men: Aaron, Brandon, Carl, Curtis, Darrell, Eddie, Floyd, Gregory, Howard, Ian, Jerome, Kent, Leonard, Marvin,
        Nelson, Ramón, Terrance, Wade
        women: Alma, Beverly, Candice, Diane, Erica, Gladys, Heather, Ivy, Jolene, Kathy, Loretta, Marjorie, Naomi,
        Peggy, Renee, Soledad, Tanya, Wilma
        last: Adams, Bradley, Carpenter, Diaz, Elliott, Fleming, Graham, Hansen, Jimenez, Kelley, Lambert, McCoy,
        Nguyen, O'Neal, Peña, Ramirez, Stephens, Washington, Wood, Zimmerman
        streets: Jackson St, Country Club Rd, Elgin St, Forest Ln, Pecan Acres Ln, Saddle Dr, W Sherman Dr
        cities: Anaheim, Boise, Chandler, Cleveland, El Paso, Fargo, Irvine, Murrieta, Peoria, Santa Rosa, Waco
        states: Alaska, Colorado, Connecticut, Idaho, Nebraska, New Mexico, Oklahoma, Texas, Vermont, Wisconsin
        """)
}
