// Runs on the pages of the docs and on the page at `/`: the copy buttons.

for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    const code = button.parentElement.querySelector('code').textContent
    await navigator.clipboard.writeText(code)
    const words = button.textContent
    button.textContent = button.dataset.copied
    button.disabled = true
    setTimeout(() => {
      button.textContent = words
      button.disabled = false
    }, 2000)
  })
}
