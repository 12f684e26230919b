/** The one script of these pages: a copy button, which the browser's clipboard needs one for. Without it the text is selectable. */
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
      said.textContent = 'Selected; press Ctrl+C.'
    }
  })
}
`
