#!/usr/bin/env node
import { runCommandLine } from './command-line.ts'

process.exitCode = await runCommandLine(process.argv.slice(2), process.env, {
  write: (text) => void process.stdout.write(text),
  colours: process.stdout.isTTY && process.env.NO_COLOR === undefined,
})
