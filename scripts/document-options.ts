import type { Command } from './options'

export const DOCS = {
  usage: 'npm run docs',
  does: 'Writes the generated documents, such as commands.md and settings.md in docs, and `.env.example`.',
  options: {},
  examples: ['npm run docs'],
} as const satisfies Command
