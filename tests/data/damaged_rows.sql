UPDATE measured SET total = 'x'
UPDATE measured SET total = 9e999
UPDATE measured SET exponent = 1000000
UPDATE measured SET period = 'x'
UPDATE measured SET symbols = 'x'
UPDATE measured SET reading = 999 WHERE reading = 1
UPDATE commits SET time = 'x'
UPDATE commits SET title = x'00'
UPDATE commits SET sha = '' WHERE id = 1
UPDATE readings SET run = 'x'
UPDATE readings SET series = 999
UPDATE readings SET facts = -1
UPDATE facts SET content = '[]'
UPDATE series SET content = '{'
UPDATE metrics SET kind = 'other'
UPDATE metrics SET better = 'never'
DELETE FROM metrics
