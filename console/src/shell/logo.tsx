import { words } from '../words/words.ts'

/** The icon of the service, which its other pages show too. */
export const Logo = () => (
  <span className="logo">
    <img src="/favicon.svg" width="26" height="26" alt="" />
    {words().product}
  </span>
)
