// Runs inside the page: what only a browser knows of how a poll is shown.
globalThis.poll = (() => {
  const root = () => document.querySelector('#host').shadowRoot
  const option = (choice) => root().querySelector(`[data-option="${choice}"]`)
  const boxOf = (element) => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect()
    return { left: left + scrollX, top: top + scrollY, right: right + scrollX, bottom: bottom + scrollY, width, height }
  }

  /** Points of a button at which a press would go elsewhere. */
  function coveredPoints(button) {
    button.scrollIntoView({ block: 'center', inline: 'center' })
    const { left, top, width, height } = button.getBoundingClientRect()
    const points = [
      [0.5, 0.5],
      [0.15, 0.25],
      [0.85, 0.25],
      [0.15, 0.75],
      [0.85, 0.75],
    ]
    return points.filter(([x, y]) => {
      const hit = root().elementFromPoint(left + x * width, top + y * height)
      return hit === null || !(hit === button || button.contains(hit))
    }).length
  }

  function glyphBoxes(words) {
    const range = document.createRange()
    range.selectNodeContents(words)
    return [...range.getClientRects()].map(({ left, top, right, bottom }) => ({
      left: left + scrollX,
      top: top + scrollY,
      right: right + scrollX,
      bottom: bottom + scrollY,
    }))
  }

  const MANGLED = { '-webkit-text-security': 'none', 'unicode-bidi': 'plaintext', transform: 'none', scale: 'none' }

  function measure(choice) {
    const button = option(choice)
    const covered = coveredPoints(button)
    scrollTo(0, 0)
    const words = button.querySelector('.words')
    const picture = button.querySelector('.picture')
    const style = getComputedStyle(words)
    return {
      covered,
      box: boxOf(button),
      words: boxOf(words),
      glyphs: glyphBoxes(words),
      fontSize: Number.parseFloat(style.fontSize),
      text: words.textContent,
      isMangled: Object.entries(MANGLED).some(([name, value]) => style.getPropertyValue(name) !== value),
      picture: picture && boxOf(picture),
      page: { width: document.documentElement.clientWidth, height: document.documentElement.scrollHeight },
    }
  }

  /** What is shown of a result: how long its bar is, and its fill, and which choice is marked. */
  function result(choice) {
    const button = option(choice)
    const [bar, fill, mark, figure] = ['.bar', '.fill', '.mark', '.figure'].map((part) => button.querySelector(part))
    if (!bar) return null
    const { strokeLinecap, strokeDasharray } = getComputedStyle(fill)
    const scale = boxOf(bar).width / Number.parseFloat(getComputedStyle(bar).width)
    return {
      length: boxOf(bar).width,
      filled: (100 * boxOf(fill).width) / (bar.clientWidth * scale),
      isLonger: strokeLinecap !== 'butt' || strokeDasharray !== 'none',
      share: Number.parseInt(figure.textContent, 10),
      figure: boxOf(figure),
      isMarked: mark !== null && getComputedStyle(mark).visibility === 'visible' && boxOf(mark).width > 0,
      isChosen: button.getAttribute('aria-pressed') === 'true',
    }
  }

  return {
    shown: () => ({ both: [measure('A'), measure('B')], results: [result('A'), result('B')] }),

    /** Takes the words, or the pictures, away: a style of the element itself is stronger than any layer. */
    hide(selector, isHidden) {
      for (const element of root().querySelectorAll(selector)) {
        if (isHidden) element.style.setProperty('visibility', 'hidden', 'important')
        else element.style.removeProperty('visibility')
      }
    },

    pageSize() {
      const parts = [document.body, document.documentElement]
      const most = (side) => Math.max(...parts.flatMap((part) => [part[`scroll${side}`], part[`offset${side}`]]))
      const [width, height] = [most('Width'), most('Height')]
      return { width, height, isBeyondView: width > innerWidth || height > innerHeight }
    },

    focused: () => root().activeElement?.dataset.option ?? null,

    blur: () => root().activeElement?.blur(),

    /** When what moves has come to rest. */
    async computed(selector, property) {
      const element = root().querySelector(selector)
      await Promise.all(element.getAnimations().map(({ finished }) => finished))
      return getComputedStyle(element).getPropertyValue(property)
    },
  }
})()
