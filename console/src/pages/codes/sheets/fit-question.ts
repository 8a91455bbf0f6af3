/** In points. */
const LARGEST = 13
const SMALLEST = 5
const LINE = 1.2

/** Makes the question as large as its room allows; one that does not fit in the smallest size ends in an ellipsis. All slips follow. */
export function fitQuestion(question: HTMLElement): void {
  const { style } = document.documentElement
  for (let points = LARGEST; ; points -= 0.5) {
    style.setProperty('--question-size', `${points}pt`)
    style.setProperty('--question-lines', 'none')
    const isFitting = question.scrollHeight <= question.clientHeight
    if (isFitting) return
    if (points > SMALLEST) continue
    const line = (points * LINE * 96) / 72
    style.setProperty('--question-lines', String(Math.max(1, Math.floor(question.clientHeight / line))))
    return
  }
}
