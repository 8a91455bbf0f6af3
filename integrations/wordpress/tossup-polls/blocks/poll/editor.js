/* The block in the editor, without a build step: WordPress brings React and its components as `wp`. */
;(() => {
  const { blockEditor, blocks, components, i18n } = window.wp
  const { createElement: el, Fragment, useEffect, useMemo, useRef, useState } = window.wp.element
  const { __, sprintf } = i18n
  const settings = window.tossupSettings
  const { KINDS, chosen, fromLink, matches, pathOf, read, readList, readTitle } = window.tossupService

  /** 6.1 has no such props; from 6.7 on a control warns without them. */
  const SIZES = { __nextHasNoMarginBottom: true, __next40pxDefaultSize: true }

  const icon = el(
    'svg',
    { viewBox: '0 0 24 24', width: 24, height: 24, 'aria-hidden': true },
    el('path', { d: 'M12 3a9 9 0 0 0 0 18z', fill: 'currentColor' }),
    el('path', { d: 'M12 3.75a8.25 8.25 0 0 1 0 16.5', fill: 'none', stroke: 'currentColor', strokeWidth: 1.5 }),
  )

  const STATUS = {
    open: __('open', 'tossup-polls'),
    closed: __('closed', 'tossup-polls'),
    scheduled: __('not open yet', 'tossup-polls'),
  }

  /** `null` while it is loading. */
  function usePublicList(brand) {
    const [state, setState] = useState({ rows: [], problem: '' })
    useEffect(() => {
      if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(brand)) {
        setState({ rows: [], problem: '' })
        return
      }
      let isOver = false
      setState(null)
      // Real typing: the brand is looked for when its name is complete.
      const timer = setTimeout(() => {
        void listOf(brand)
          .then((rows) => ({ rows, problem: '' }))
          .catch((error) => ({ rows: [], problem: wordsOf(error, brand) }))
          .then((next) => isOver || setState(next))
      }, 300)
      return () => {
        isOver = true
        clearTimeout(timer)
      }
    }, [brand])
    return state
  }

  async function listOf(brand) {
    const [{ data: owner }, polls, campaigns] = await Promise.all([
      read(`brands/${brand}`),
      readList(`brands/${brand}/polls`),
      readList(`brands/${brand}/campaigns`),
    ])
    const ownerName = owner.displayName ?? owner.name
    return [
      ...polls.map(({ slug, title, optionA, optionB, status }) => ({
        found: `${title} ${optionA.label} ${optionB.label}`,
        note: [__('Poll', 'tossup-polls'), `${optionA.label} / ${optionB.label}`, STATUS[status]].join(' · '),
        attributes: chosen('p', slug, title),
      })),
      ...campaigns.map(({ campaignId, title, polstCount, status }) => ({
        found: title,
        note: [
          __('Campaign', 'tossup-polls'),
          /* translators: %d: number of polls */
          sprintf(__('Polls: %d', 'tossup-polls'), polstCount),
          STATUS[status],
        ].join(' · '),
        attributes: chosen('c', campaignId, title),
      })),
      {
        found: ownerName,
        /* translators: %s: name of a brand */
        label: sprintf(__('All polls of %s', 'tossup-polls'), ownerName),
        note: __('Brand, newest first', 'tossup-polls'),
        attributes: chosen('b', brand, ownerName),
      },
    ]
  }

  function wordsOf({ code }, brand) {
    if (code === 'NOT_FOUND' && brand) {
      /* translators: %s: short name of a brand */
      return sprintf(__('There is no brand “%s”.', 'tossup-polls'), brand)
    }
    if (code === 'NOT_FOUND')
      return __('There is nothing at this link. Was it deleted, or is it a draft?', 'tossup-polls')
    return __('The poll service does not answer. Test its address under Settings > Tossup polls.', 'tossup-polls')
  }

  function Chooser({ choose, cancel }) {
    const [brand, setBrand] = useState(settings.brand)
    const [query, setQuery] = useState('')
    const [problem, setProblem] = useState('')
    const list = usePublicList(brand.trim())
    const linked = fromLink(query)
    const isForeign = !linked && /^\s*https?:\/\//.test(query)
    const rows = useMemo(
      () => (list && !linked && !isForeign ? list.rows.filter(({ found }) => matches(found, query)) : []),
      [list, query],
    )

    const useLink = () => {
      setProblem('')
      readTitle(linked)
        .then((title) => choose({ ...linked, title }))
        .catch((error) => setProblem(wordsOf(error)))
    }
    let said = problem || list?.problem || ''
    if (isForeign) {
      /* translators: %s: address of the service */
      said = sprintf(__('This is no link of a poll at %s.', 'tossup-polls'), settings.address)
    } else if (linked) said = problem
    else if (!list) said = __('Loading…', 'tossup-polls')
    else if (!said && rows.length === 0 && list.rows.length > 0) {
      said = __('No public poll or campaign has this name. Paste the link of a private one.', 'tossup-polls')
    }

    return el(
      components.Placeholder,
      {
        icon,
        label: __('Tossup poll', 'tossup-polls'),
        instructions: __('Choose a poll or a campaign by its name, or paste its link.', 'tossup-polls'),
        className: 'tossup-chooser',
      },
      el(
        'form',
        {
          onSubmit: (event) => {
            event.preventDefault()
            if (linked) useLink()
          },
        },
        el(
          'div',
          { className: 'tossup-chooser__fields' },
          el(components.TextControl, {
            ...SIZES,
            label: __('Brand', 'tossup-polls'),
            value: brand,
            onChange: setBrand,
            placeholder: 'corner-cafe',
            dir: 'ltr',
            spellCheck: false,
            autoComplete: 'off',
          }),
          el(components.TextControl, {
            ...SIZES,
            label: __('Name or link', 'tossup-polls'),
            value: query,
            onChange: (text) => {
              setQuery(text)
              setProblem('')
            },
            autoComplete: 'off',
          }),
          linked && el(components.Button, { variant: 'primary', type: 'submit' }, __('Use this link', 'tossup-polls')),
          cancel && el(components.Button, { variant: 'tertiary', onClick: cancel }, __('Cancel', 'tossup-polls')),
        ),
        el('p', { className: 'tossup-chooser__said', role: 'status' }, said),
        rows.length > 0 &&
          el(
            'ul',
            { className: 'tossup-chooser__list' },
            rows.map(({ attributes, label = attributes.title, note }) =>
              el(
                'li',
                { key: attributes.link },
                el(
                  'button',
                  { type: 'button', onClick: () => choose(attributes) },
                  el('strong', { dir: 'auto' }, label),
                  el('span', { dir: 'auto' }, note),
                ),
              ),
            ),
          ),
      ),
    )
  }

  /** Empty is the width that the element has by itself. */
  function maxWidthOf({ width, align }) {
    if (!width && ['wide', 'full'].includes(align)) return 'none'
    const pixels = width || settings.width
    return pixels ? `${pixels}px` : ''
  }

  /** The element of the service itself: not to be pressed, without storage, and without a view that would count. */
  function Preview({ attributes }) {
    const place = useRef()
    const [isLost, setLost] = useState(false)
    const { kind, name } = attributes
    const options = {
      theme: attributes.theme || settings.theme,
      hidetitle: attributes.hideTitle,
      hidebrand: attributes.hideBrand,
    }
    const look = JSON.stringify([options, maxWidthOf(attributes)])

    useEffect(() => {
      const { ownerDocument } = place.current
      ownerDocument.documentElement.setAttribute('data-preview', '')
      place.current.inert = true
      let script = ownerDocument.getElementById('tossup-embed')
      if (!script) {
        script = ownerDocument.createElement('script')
        Object.assign(script, { id: 'tossup-embed', type: 'module', src: `${settings.address}/embed.js` })
        ownerDocument.head.append(script)
      }
      const lose = () => setLost(true)
      script.addEventListener('error', lose)
      return () => script.removeEventListener('error', lose)
    }, [])
    useEffect(() => {
      const shown = place.current.ownerDocument.createElement(KINDS[pathOf(kind)].element)
      shown.setAttribute(kind, name)
      shown.setAttribute('storage', 'none')
      for (const [option, value] of Object.entries(options)) {
        if (value && value !== 'auto') shown.setAttribute(option, value === true ? '' : value)
      }
      shown.style.maxWidth = maxWidthOf(attributes)
      place.current.replaceChildren(shown)
      return () => shown.remove()
    }, [kind, name, look])
    return el(
      Fragment,
      null,
      isLost && el(components.Notice, { status: 'warning', isDismissible: false }, wordsOf({})),
      el('div', { ref: place, className: 'tossup-preview' }),
    )
  }

  /** Shown beside the list of blocks. */
  const Example = () =>
    el(
      'div',
      { className: 'tossup-example' },
      el('strong', null, __('Tea or coffee?', 'tossup-polls')),
      el('span', null, __('Tea', 'tossup-polls')),
      el('span', null, __('Coffee', 'tossup-polls')),
    )

  function Options({ attributes, setAttributes }) {
    const set = (name) => (value) => setAttributes({ [name]: value })
    const themes = {
      auto: __('As the page', 'tossup-polls'),
      light: __('Light', 'tossup-polls'),
      dark: __('Dark', 'tossup-polls'),
    }
    const themeOptions = Object.entries(themes).map(([value, label]) => ({ value, label }))
    /* translators: %s: a value, such as “Dark” */
    const usual = sprintf(__('Default (%s)', 'tossup-polls'), themes[settings.theme])
    const isMalformed = attributes.source !== '' && !/^[a-z0-9_-]{1,40}$/.test(attributes.source)
    return el(
      blockEditor.InspectorControls,
      null,
      el(
        components.PanelBody,
        { title: __('Appearance', 'tossup-polls') },
        el(
          'p',
          { dir: 'auto' },
          el(components.ExternalLink, { href: attributes.link }, attributes.title || attributes.link),
        ),
        el(components.SelectControl, {
          ...SIZES,
          label: __('Theme', 'tossup-polls'),
          value: attributes.theme,
          onChange: set('theme'),
          options: [{ value: '', label: usual }, ...themeOptions],
        }),
        el(components.RangeControl, {
          ...SIZES,
          label: __('Width in pixels', 'tossup-polls'),
          value: attributes.width || undefined,
          onChange: (width) => setAttributes({ width: width ?? 0 }),
          min: 240,
          max: 1200,
          step: 10,
          initialPosition: settings.width || 720,
          allowReset: true,
          help: __('A poll is never wider than the room it has.', 'tossup-polls'),
        }),
        el(components.ToggleControl, {
          __nextHasNoMarginBottom: true,
          label: __('Hide the question', 'tossup-polls'),
          help: __('Screen readers still read it.', 'tossup-polls'),
          checked: attributes.hideTitle,
          onChange: set('hideTitle'),
        }),
        el(components.ToggleControl, {
          __nextHasNoMarginBottom: true,
          label: __('Hide the brand', 'tossup-polls'),
          checked: attributes.hideBrand,
          onChange: set('hideBrand'),
        }),
      ),
      el(
        components.PanelBody,
        { title: __('Results by place', 'tossup-polls'), initialOpen: attributes.source !== '' },
        el(components.TextControl, {
          ...SIZES,
          label: __('Source', 'tossup-polls'),
          value: attributes.source,
          onChange: set('source'),
          placeholder: settings.source || 'blog',
          dir: 'ltr',
          help: isMalformed
            ? __('Use up to 40 small letters a to z, digits, hyphens and underscores.', 'tossup-polls')
            : __('The name under which the console counts votes from this place.', 'tossup-polls'),
        }),
      ),
    )
  }

  function Edit({ attributes, setAttributes }) {
    const [isReplacing, setReplacing] = useState(false)
    const props = blockEditor.useBlockProps()
    const { name, title } = attributes
    useEffect(() => {
      // A pasted link brings no title. Without one the saved link shows its address.
      if (name && !title && settings.address) {
        readTitle(attributes)
          .then((found) => setAttributes({ title: found }))
          .catch(() => undefined)
      }
    }, [name])

    if (attributes.isExample) return el('div', props, el(Example))
    if (!settings.address) return el('div', props, el(NoAddress))
    if (!name || isReplacing) {
      const choose = (found) => {
        setAttributes(found)
        setReplacing(false)
      }
      return el('div', props, el(Chooser, { choose, cancel: name && (() => setReplacing(false)) }))
    }
    return el(
      Fragment,
      null,
      el(
        blockEditor.BlockControls,
        null,
        el(
          components.ToolbarGroup,
          null,
          el(components.ToolbarButton, { onClick: () => setReplacing(true) }, __('Replace', 'tossup-polls')),
        ),
      ),
      el(Options, { attributes, setAttributes }),
      el('div', props, el(Preview, { attributes })),
    )
  }

  const NoAddress = () =>
    el(
      components.Placeholder,
      {
        icon,
        label: __('Tossup poll', 'tossup-polls'),
        instructions: settings.settingsPage
          ? __('First enter the address of your Tossup service.', 'tossup-polls')
          : __('Ask an administrator of this site to enter the address of your Tossup service.', 'tossup-polls'),
      },
      settings.settingsPage &&
        el(
          components.Button,
          { variant: 'primary', href: settings.settingsPage, target: '_blank' },
          __('Open the settings', 'tossup-polls'),
        ),
    )

  blocks.registerBlockType('tossup/poll', {
    icon,
    edit: Edit,
    // The link is for readers of a site without this plugin: with it, the server writes the element.
    save: ({ attributes: { link, title } }) =>
      link ? el('p', blockEditor.useBlockProps.save(), el('a', { href: link }, title || link)) : null,
    transforms: {
      from: [
        {
          type: 'raw',
          priority: 1,
          isMatch: (node) => node.nodeName === 'P' && fromLink(node.textContent) !== null,
          transform: (node) => blocks.createBlock('tossup/poll', fromLink(node.textContent)),
        },
        {
          type: 'block',
          blocks: ['core/embed'],
          isMatch: ({ url }) => fromLink(url ?? '') !== null,
          transform: ({ url }) => blocks.createBlock('tossup/poll', fromLink(url)),
        },
      ],
    },
  })
})()
