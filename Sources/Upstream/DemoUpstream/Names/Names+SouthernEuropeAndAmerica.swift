extension Nationality {
    static let brazil = Nationality(
        "BR", "Brazil", phone: "(##) ####-####", cell: "(##) ####-####", identity: ("CPF", "###.###.###-##"),
        """
        men: Aécio, Benício, Caetano, Danilo, Édson, Fabrício, Gérson, Heitor, Ítalo, João, Lázaro, Moacir, Natanael,
        Otávio, Raí, Sebastião
        women: Adélia, Beatriz, Conceição, Dulcinéia, Eloá, Fabíola, Graça, Iracema, Jussara, Lívia, Maitê, Núbia,
        Otília, Rosângela, Tainá, Zuleica
        last: Alves, Araújo, Barros, Cavalcanti, Conceição, da Cruz, da Mota, Farias, Gonçalves, Magalhães, Melo,
        Nogueira, Peixoto, Ramos, Sales, Simões, Teixeira, Viana
        streets: Avenida Brasil, Rua Amazonas, Rua Dom Pedro II, Rua São José, Rua Sete de Setembro, Travessa Pará
        cities: Açailândia, Barra Mansa, Caxias do Sul, Florianópolis, Ilhéus, Maringá, Paço do Lumiar, São Luís
        states: Amapá, Ceará, Espírito Santo, Maranhão, Minas Gerais, Pará, Pernambuco, São Paulo, Tocantins
        """)

    static let spain = Nationality(
        "ES", "Spain", phone: "9##-###-###", cell: "6##-###-###", identity: ("DNI", "########-@"),
        """
        men: Adrián, Álvaro, Borja, César, Diego, Fermín, Gonzalo, Hugo, Íñigo, Joaquín, Martín, Nicolás, Óscar, Rubén,
        Sergio, Víctor
        women: Ángeles, Begoña, Carmen, Dolores, Encarnación, Fátima, Inés, Jimena, Lucía, Montserrat, Nuria, Pilar,
        Rocío, Sofía, Verónica, Yolanda
        last: Álvarez, Benítez, Cano, Domínguez, Esteban, Fuentes, Gallego, Ibáñez, Jiménez, León, Méndez, Muñoz,
        Núñez, Ortega, Peña, Prieto, Santana, Vázquez
        streets: Avenida de América, Calle de Alcalá, Calle del Pez, Calle Mota, Paseo de Extremadura, Ronda de Toledo
        cities: Alcalá de Henares, Ávila, Cádiz, Cuenca, Elche, Gijón, Jerez de la Frontera, Málaga, Torrejón
        states: Andalucía, Aragón, Cantabria, Castilla y León, Cataluña, Galicia, La Rioja, Región de Murcia
        """)

    static let mexico = Nationality(
        "MX", "Mexico", phone: "(6##) ### ####", cell: "(6##) ### ####", identity: ("NSS", "## ## ## #### #"),
        """
        men: Abelardo, Benjamín, Cuauhtémoc, Darío, Efraín, Fidel, Genaro, Héctor, Ismael, Julián, Leobardo,
        Maximiliano, Noé, Porfirio, Ramiro, Saúl
        women: Amparo, Blanca, Citlali, Débora, Esperanza, Flor, Guadalupe, Hortensia, Itzel, Josefina, Magdalena,
        Micaela, Ofelia, Perla, Xóchitl, Yaretzi
        last: Acosta, Barragán, Canales, Cervántez, de la Garza, Escobedo, Fierro, Galván, Huerta, Juárez, Lozano,
        Montañez, Nájera, Olivárez, Quiñones, Rentería, Sepúlveda, Zúñiga
        streets: Andador Jalisco, Boulevard Chiapas, Calle Peralta, Callejón Báez, Calzada Norte, Periférico Sur
        cities: Ahuacatlán, Cañitas, Coatepec, Dolores Hidalgo, Jiquilpan, Palmillas, Tepoztlán, Zacatlán
        states: Chihuahua, Coahuila, Estado de México, Jalisco, Michoacán, Nuevo León, Querétaro, Yucatán
        """)
}
