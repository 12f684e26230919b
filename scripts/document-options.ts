import type { Command } from './options'

export const DOCS = {
  usage: 'npm run docs',
  does: 'Writes the generated documents, such as commands.md and settings.md in docs, and `.env.example`.',
  options: {},
  examples: ['npm run docs'],
} as const satisfies Command

export const UI_STRINGS = {
  usage: 'npm run --silent ui-strings',
  does: 'Lists every text of the dashboard, the gateway simulator and the shop, and the errors of the API, with file and line.',
  options: {},
  examples: ['npm run --silent ui-strings > ui-strings.txt'],
} as const satisfies Command
