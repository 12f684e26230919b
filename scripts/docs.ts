import { writeFileSync } from 'node:fs'
import { DOCS } from './document-options'
import { generatedDocs } from './generated-docs'
import { parseCommandLine, readOptions } from './options'

readOptions(DOCS, (args) => parseCommandLine(DOCS, args))

for (const [file, text] of Object.entries(await generatedDocs())) writeFileSync(file, text)
