import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { plantedBugs } from './test/simulation/planted-plugin'

const root = fileURLToPath(new URL('.', import.meta.url))
const alias = { '@': root }

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['{lib,app,sandbox,scripts}/**/*.test.{ts,tsx}'],
          exclude: ['**/*.db.test.ts', '**/node_modules/**'],
        },
      },
      {
        resolve: { alias },
        // Real servers and real databases: one file at a time, so that two cores are enough.
        test: {
          name: 'db',
          include: ['{lib,app,sandbox,scripts,e2e}/**/*.db.test.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        plugins: [plantedBugs(root)],
        test: {
          name: 'simulation',
          include: ['test/simulation/*.sim.test.ts'],
          fileParallelism: false,
          testTimeout: 600_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
