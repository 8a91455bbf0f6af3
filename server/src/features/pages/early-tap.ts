import { sourceHash } from './content-security-policy.ts'

/**
 * A page can be tapped before `/embed.js` has arrived and the poll's state is known: such a tap has no effect. So the first tap
 * is repeated until the element shows a choice, for ten seconds. Each check is made in the turn of the tap, so that a vote that
 * was refused is not sent again.
 */
export const EARLY_TAP_SCRIPT = `{
const early = (event) => {
const option = event.composedPath()[0].closest?.('[data-option]')
if (!option) return
removeEventListener('click', early, true)
const isTaken = () => option.closest('.options')?.querySelector('[aria-pressed="true"]')
let left = 100
const press = () => {
if (isTaken() || !option.isConnected || option.ariaDisabled || left-- === 0) return
option.click()
if (!isTaken()) setTimeout(press, 100)
}
setTimeout(press)
}
addEventListener('click', early, true)
}`

export const EARLY_TAP_HASH: string = sourceHash(EARLY_TAP_SCRIPT)
