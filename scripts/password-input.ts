/**
 * The first line of standard input. A password on the command line would be in the list of processes and in the history
 * of the shell.
 */
export async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) console.error('Type the password and press Enter:')
  // A chunk may end within a character.
  process.stdin.setEncoding('utf8')
  let text = ''
  for await (const chunk of process.stdin) {
    text += String(chunk)
    if (text.includes('\n') || text.length > 1_000) break
  }
  return text.split(/\r?\n/, 1)[0] ?? ''
}
