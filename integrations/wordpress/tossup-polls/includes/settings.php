<?php
// The settings of the plugin: one option, cleaned before it is stored.

defined('ABSPATH') || exit;

const TOSSUP_DEFAULTS = array(
    'address' => '',
    'brand'   => '',
    'theme'   => 'auto',
    'width'   => 0,
    'source'  => '',
);
/** The widths of a poll in pixels that can be chosen; 0 is as wide as the text. */
const TOSSUP_WIDTHS = array(240, 1200);

add_action('init', 'tossup_register_settings');

function tossup_settings() {
    return array_merge(TOSSUP_DEFAULTS, array_intersect_key((array) get_option('tossup_polls', array()), TOSSUP_DEFAULTS));
}

function tossup_register_settings() {
    register_setting('tossup_polls', 'tossup_polls', array(
        'type'              => 'object',
        'sanitize_callback' => 'tossup_clean_settings',
        'default'           => array(),
    ));
}

/** The origin in an address or in a pasted link of a poll; an empty string if there is none. */
function tossup_origin($text) {
    $text = trim((string) $text);
    $parts = wp_parse_url(preg_match('#^[a-z]+://#i', $text) ? $text : 'https://' . $text);
    $scheme = strtolower($parts['scheme'] ?? '');
    $host = strtolower($parts['host'] ?? '');
    if (!in_array($scheme, array('http', 'https'), true) || isset($parts['user']) || !preg_match('/^([a-z0-9.-]+|\[[0-9a-f:]+\])$/', $host)) {
        return '';
    }
    $port = $parts['port'] ?? null;
    return $scheme . '://' . $host . ($port && $port !== array('http' => 80, 'https' => 443)[$scheme] ? ':' . $port : '');
}

/** The slug of a brand, also out of a pasted link of its page. */
function tossup_brand($text) {
    $slug = strtolower(trim(preg_replace('#^.*/b/#', '', (string) $text), " \t\n/"));
    return preg_match('/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/', $slug) ? $slug : '';
}

/** A value that is malformed is told and left as it was. */
function tossup_clean_settings($given) {
    $given = is_array($given) ? array_map('strval', array_filter($given, 'is_scalar')) : array();
    $given = array_map('trim', array_intersect_key($given, TOSSUP_DEFAULTS)) + TOSSUP_DEFAULTS;
    $now = tossup_settings();
    $clean = array(
        'address' => $given['address'] === '' ? '' : tossup_origin($given['address']),
        'brand'   => tossup_brand($given['brand']),
        'theme'   => in_array($given['theme'], array('auto', 'light', 'dark'), true) ? $given['theme'] : 'auto',
        'width'   => (int) $given['width'] === 0 ? 0 : max(TOSSUP_WIDTHS[0], min(TOSSUP_WIDTHS[1], (int) $given['width'])),
        'source'  => preg_match('/^[a-z0-9_-]{1,40}$/', $given['source']) ? $given['source'] : '',
    );
    $refusals = array(
        'address' => __('The address was not saved: it must look like https://polls.example.com.', 'tossup-polls'),
        'brand'   => __('The brand was not saved: write its short name as in the address of its page, such as corner-cafe.', 'tossup-polls'),
        'source'  => __('The source was not saved: use up to 40 small letters a to z, digits, hyphens and underscores.', 'tossup-polls'),
    );
    foreach ($refusals as $name => $refusal) {
        if ($given[$name] !== '' && $clean[$name] === '') {
            $clean[$name] = $now[$name];
            if (function_exists('add_settings_error')) {
                add_settings_error('tossup_polls', $name, $refusal);
            }
        }
    }
    return $clean;
}
