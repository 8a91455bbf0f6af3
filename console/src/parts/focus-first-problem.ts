/** After the render that shows it. */
export function focusFirstProblem(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
}
