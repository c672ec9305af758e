-- left_out has 128 bits of each hash now. A page with shorter ones is fetched once more.
DELETE FROM pages WHERE left_out IS NOT NULL;
