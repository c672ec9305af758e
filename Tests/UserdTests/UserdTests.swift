// UserdTests
