/**
 * The only script of these pages: a copy button, because the clipboard needs a script. Without scripts, the user can
 * select the text.
 */
export const COPY_SCRIPT = `
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    const said = document.getElementById('copied')
    const source = document.getElementById(button.dataset.copy)
    try {
      await navigator.clipboard.writeText(source.textContent)
      said.textContent = 'Copied.'
    } catch {
      getSelection().selectAllChildren(source)
      said.textContent = 'Selected. Press Ctrl+C or ⌘C to copy.'
    }
  })
}
`
