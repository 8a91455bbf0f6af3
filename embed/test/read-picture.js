// Runs inside the page: reads a picture of a poll as a visitor does, by its pixels. It knows no stylesheet and no trick.
Object.assign(
  globalThis.poll,
  (() => {
    const { option, boxOf, pixelsOf, luminance, contrast } = globalThis.poll
    const EDGE = 1.5
    const CHANGE = 1.25
    /** Of a shadow inside of a box; and of what a browser blends along an edge. */
    const ROOM = 11
    const SOFT = 3
    /** Parts that hold words and results; each may have a plain ground and a border of its own. */
    const BOXES = '.label, .result'
    /** Less would be a bar. */
    const LEAST_FRAME = 40

    const number = (style, name) => Number.parseFloat(style.getPropertyValue(name)) || 0

    /** The places around the sides and the corners of a box at which its own border and ground end. */
    function outline(element) {
      const box = boxOf(element)
      const style = getComputedStyle(element)
      const room = style.boxShadow.includes('inset') ? ROOM : SOFT
      const border = Math.max(
        ...['top', 'right', 'bottom', 'left'].map((side) => number(style, `border-${side}-width`)),
      )
      const radius = Math.min(
        Math.max(
          ...['top-left', 'top-right', 'bottom-left', 'bottom-right'].map((corner) => cornerOf(style, corner, box)),
        ),
        box.width / 2,
        box.height / 2,
      )
      const turn = Math.abs(Math.sin((number(style, 'rotate') * Math.PI) / 180)) * Math.max(box.width, box.height)
      return { box, band: border + room + turn, corner: radius + border + turn }
    }

    function cornerOf(style, corner, { width, height }) {
      const value = style.getPropertyValue(`border-${corner}-radius`)
      const sizes = value.split(' ').map((part, i) => {
        const size = Number.parseFloat(part)
        return part.endsWith('%') ? (size / 100) * (i === 0 ? width : height) : size
      })
      return Math.max(...sizes)
    }

    function isOnOutline(x, y, { box, band, corner }) {
      const right = box.right - x
      const left = x - box.left
      const top = y - box.top
      const bottom = box.bottom - y
      if (Math.min(left, right, top, bottom) < -SOFT) return false
      if (Math.min(left, right, top, bottom) <= band) return true
      return Math.min(left, right) <= corner && Math.min(top, bottom) <= corner
    }

    const isWithin = (x, y, { left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom

    function isEdge(pixels, x, y) {
      const here = luminance(pixels, x, y)
      return contrast(here, luminance(pixels, x + 1, y)) >= EDGE || contrast(here, luminance(pixels, x, y + 1)) >= EDGE
    }

    /** How many pixels of a choice lie on a hard edge that is no side of a box. Words, numbers, bar and mark must be hidden. */
    function inkOf(pixels, choice) {
      const button = option(choice)
      const frames = [...button.querySelectorAll('.frame')].filter((frame) => boxOf(frame).height >= LEAST_FRAME)
      const pictures = frames.map(boxOf)
      const outlines = [button, ...frames, ...button.querySelectorAll(BOXES)].map(outline)
      const isTold = (x, y) =>
        outlines.some((each) => isOnOutline(x, y, each)) || pictures.some((picture) => isWithin(x, y, picture))
      const { left, top, right, bottom } = boxOf(button)
      let ink = 0
      for (let y = Math.ceil(top); y < Math.min(bottom, pixels.height) - 1; y++) {
        for (let x = Math.ceil(left); x < Math.min(right, pixels.width) - 1; x++) {
          if (isEdge(pixels, x, y) && !isTold(x, y)) ink++
        }
      }
      return ink
    }

    /** How much of a bar is filled, as a percentage, by the place at which its colour changes; null if it does not. */
    function filledOf(pixels, bar, button) {
      const style = getComputedStyle(button)
      const angle = (number(style, 'rotate') * Math.PI) / 180
      const scale = number(style, 'scale') || 1
      const { left, right, top, bottom } = boxOf(bar)
      const inside = getComputedStyle(bar)
      const length = Math.floor(number(inside, 'width') * scale - 2 * number(inside, 'border-left-width') * scale)
      const sign = style.direction === 'rtl' ? -1 : 1
      const at = (i) => {
        const along = sign * (i + 0.5 - length / 2)
        const x = Math.floor((left + right) / 2 + along * Math.cos(angle))
        return luminance(pixels, x, Math.floor((top + bottom) / 2 + along * Math.sin(angle)))
      }
      const ends = []
      for (let i = 1; i < length; i++) if (contrast(at(i - 1), at(i)) >= CHANGE) ends.push(i)
      // A blended pixel lies between two changes.
      const distinct = ends.filter((end, i) => i === 0 || end - ends[i - 1] > 2)
      if (distinct.length === 0) return null
      return distinct.length === 1 ? (100 * distinct[0]) / length : Number.NaN
    }

    return {
      async ink(shot) {
        const pixels = await pixelsOf(shot)
        return ['A', 'B'].map((choice) => inkOf(pixels, choice))
      },

      async filled(shot) {
        const pixels = await pixelsOf(shot)
        return ['A', 'B'].map((choice) => {
          const button = option(choice)
          const bar = button.querySelector('.bar')
          return bar && filledOf(pixels, bar, button)
        })
      },

      /** In how many pixels of the place of its mark each choice differs between the pictures. */
      async marks(shot, without) {
        const [left, right] = [await pixelsOf(shot), await pixelsOf(without)]
        return ['A', 'B'].map((choice) => {
          const mark = option(choice).querySelector('.mark')
          if (!mark) return 0
          const box = boxOf(mark)
          const rim = 1
          let count = 0
          for (let y = Math.floor(box.top) - rim; y < Math.min(box.bottom + rim, left.height); y++) {
            for (let x = Math.floor(box.left) - rim; x < Math.min(box.right + rim, left.width); x++) {
              if (contrast(luminance(left, x, y), luminance(right, x, y)) >= EDGE) count++
            }
          }
          return count
        })
      },
    }
  })(),
)
