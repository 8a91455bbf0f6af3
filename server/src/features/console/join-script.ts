/** Runs in the browser: uses the link up when the button is pressed, and leads into the console. The words are in the button's attributes. */
export const JOIN_SCRIPT = `
const button = document.querySelector('button')
const status = document.querySelector('[role=status]')

button.addEventListener('click', async () => {
  button.disabled = true
  const token = location.pathname.split('/').at(-1)
  try {
    const response = await fetch('/api/rest/v1/auth/session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    })
    if (response.ok) {
      const { data } = await response.json()
      status.textContent = button.dataset.joined.replace('{email}', () => data.member.email)
      button.remove()
      location.replace('/console')
      return
    }
    status.textContent = response.status === 401 ? button.dataset.refused : button.dataset.failed
    button.disabled = response.status === 401
  } catch {
    status.textContent = button.dataset.failed
    button.disabled = false
  }
})
`
