/** The parts of standard output that the progress display needs. */
export interface Terminal {
  readonly isTTY: boolean
  readonly columns: number
  write(text: string): void
}

export interface Progress {
  /** Shows what the stage is doing. Called about once a second. */
  update(text: string): void
  /** Ends the display, because other output follows. */
  end(): void
}

const LINE_EVERY_MS = 15_000
const CLEAR_LINE = '\r\u001B[2K'

/** One live line on a terminal; elsewhere a line every 15 seconds. */
export function showProgress(terminal: Terminal, title: string, aboutSeconds: number | undefined): Progress {
  const startedAt = Date.now()
  let saidAt = startedAt
  const line = (text: string): string => {
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    const time = aboutSeconds === undefined ? `${seconds} s` : `${seconds} s of about ${aboutSeconds} s`
    return [title, text, time].filter((part) => part !== '').join(' · ')
  }
  if (!terminal.isTTY) terminal.write(`${title} …\n`)
  return {
    update(text) {
      if (terminal.isTTY) {
        terminal.write(CLEAR_LINE + line(text).slice(0, Math.max(20, terminal.columns - 1)))
      } else if (Date.now() - saidAt >= LINE_EVERY_MS) {
        saidAt = Date.now()
        terminal.write(`${line(text)}\n`)
      }
    },
    end() {
      if (terminal.isTTY) terminal.write(CLEAR_LINE)
    },
  }
}
