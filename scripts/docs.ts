import { writeFileSync } from 'node:fs'
import { generatedDocs } from './generated-docs'

for (const [file, text] of Object.entries(await generatedDocs())) writeFileSync(file, text)
