import { words } from '../words/words.ts'

export const Logo = () => (
  <span className="logo">
    <svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true">
      <path className="logo-a" d="M13 1A12 12 0 0 0 13 25z" />
      <path className="logo-b" d="M13 1A12 12 0 0 1 13 25z" />
    </svg>
    {words().product}
  </span>
)
