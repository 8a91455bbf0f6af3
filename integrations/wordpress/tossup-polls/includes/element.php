<?php
// The element of a poll, a campaign or a brand, and the script of the service. The markup is the same for every visitor, so
// that a page cache may keep it: who has voted is known to the browser alone.

defined('ABSPATH') || exit;

/** The element of a kind, and the path of its page at the service. */
const TOSSUP_KINDS = array(
    'poll'     => array('tossup-poll', 'p'),
    'campaign' => array('tossup-campaign', 'c'),
    'brand'    => array('tossup-feed', 'b'),
);

add_filter('script_loader_tag', 'tossup_module_tag', 10, 3);

/** Attributes of an element that hold a value, and those that are there or not. */
const TOSSUP_VALUES = array('theme', 'accent', 'lang', 'source');
const TOSSUP_FLAGS = array('hideTitle', 'hideBrand');

/**
 * `kind` and `name` say what is shown, `title` is the text of the link in it, `width` is in pixels or `full`. The link is for
 * readers whose browser does not run the script, and is all that a feed gets.
 */
function tossup_element($given) {
    $settings = tossup_settings();
    $problem = tossup_problem_with($given, $settings['address']);
    if ($problem !== '') {
        return tossup_problem($problem);
    }
    list($element, $path) = TOSSUP_KINDS[$given['kind']];
    $title = trim($given['title'] ?? '');
    $link = sprintf(
        '<a href="%s">%s</a>',
        esc_url($settings['address'] . '/' . $path . '/' . $given['name']),
        esc_html($title === '' ? __('Vote here', 'tossup-polls') : $title)
    );
    if (is_feed()) {
        return $link;
    }
    tossup_enqueue($settings['address']);
    $attributes = sprintf('%s="%s"', $given['kind'], esc_attr($given['name']));
    foreach (TOSSUP_VALUES as $name) {
        $value = empty($given[$name]) ? ($settings[$name] ?? '') : $given[$name];
        if ($value !== '' && $value !== 'auto') {
            $attributes .= sprintf(' %s="%s"', $name, esc_attr($value));
        }
    }
    foreach (TOSSUP_FLAGS as $name) {
        $attributes .= empty($given[$name]) || $given[$name] === 'false' ? '' : ' ' . $name;
    }
    $width = empty($given['width']) ? $settings['width'] : $given['width'];
    if ($width === 'full') {
        $attributes .= ' style="max-width:none"';
    } elseif ((int) $width > 0) {
        $attributes .= sprintf(' style="max-width:%dpx"', $width);
    }
    return sprintf('<%1$s %2$s>%3$s</%1$s>', $element, $attributes, $link);
}

function tossup_problem_with($given, $address) {
    if ($address === '') {
        return __('Enter the address of your Tossup service under Settings > Tossup polls.', 'tossup-polls');
    }
    // The names of the service: letters, digits, hyphens and underscores.
    $is_known = isset(TOSSUP_KINDS[$given['kind']]) && preg_match('/^[A-Za-z0-9_-]{1,128}$/D', $given['name']);
    return $is_known ? '' : __('Name a poll, a campaign or a brand, as in [tossup poll="tea-or-coffee"].', 'tossup-polls');
}

/** Shown in previews alone: a page cache never keeps those. */
function tossup_problem($text) {
    return is_preview() ? '<p>' . esc_html($text) . '</p>' : '';
}

/** WordPress has modules of its own from 6.5 on; before, a script with `type="module"`. */
function tossup_enqueue($address) {
    wp_enqueue_style('tossup-poll-style');
    if (function_exists('wp_enqueue_script_module')) {
        wp_enqueue_script_module('tossup', $address . '/embed.js', array(), null);
    } else {
        wp_enqueue_script('tossup', $address . '/embed.js', array(), null, true);
    }
}

function tossup_module_tag($tag, $handle, $src) {
    return $handle === 'tossup' ? wp_get_script_tag(array('type' => 'module', 'src' => $src, 'id' => 'tossup-js')) : $tag;
}
