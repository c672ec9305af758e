// ServicesTests
