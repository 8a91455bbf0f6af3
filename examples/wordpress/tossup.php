<?php
/**
 * Plugin Name: Tossup polls
 * Description: The shortcode [tossup poll="…"] shows a poll of a Tossup service.
 * Version: 0.1.0
 * Requires at least: 6.5
 * Requires PHP: 7.4
 * License: MIT
 */

defined('ABSPATH') || exit;

/** What a shortcode may name: the element, and the path of its hosted page. */
const TOSSUP_KINDS = array(
    'poll'     => array('tossup-poll', 'p'),
    'campaign' => array('tossup-campaign', 'c'),
    'brand'    => array('tossup-feed', 'b'),
);

add_shortcode('tossup', 'tossup_shortcode');

function tossup_shortcode($attributes) {
    if (!defined('TOSSUP_URL')) {
        return tossup_problem('Set TOSSUP_URL in wp-config.php to the address of the Tossup service.');
    }
    $given = shortcode_atts(
        array_fill_keys(array('poll', 'campaign', 'brand', 'theme', 'accent', 'lang', 'hide_title', 'hide_brand'), ''),
        $attributes,
        'tossup'
    );
    foreach (TOSSUP_KINDS as $kind => list($element, $path)) {
        $name = $given[$kind];
        if ($name === '') {
            continue;
        }
        // The names of the service: letters, digits, hyphens and underscores.
        if (!preg_match('/^[A-Za-z0-9_-]{1,128}$/', $name)) {
            return tossup_problem('This is not the name of a ' . $kind . ': ' . $name);
        }
        $url = rtrim(TOSSUP_URL, '/');
        wp_enqueue_script_module('tossup', $url . '/embed.js');
        return sprintf(
            '<%1$s %2$s="%3$s"%4$s><a href="%5$s">%6$s</a></%1$s>',
            $element,
            $kind,
            esc_attr($name),
            tossup_looks($given),
            esc_url($url . '/' . $path . '/' . $name),
            esc_html__('Vote here', 'tossup')
        );
    }
    return tossup_problem('Name a poll, a campaign or a brand, as in [tossup poll="tea-or-coffee"].');
}

function tossup_looks($given) {
    $looks = '';
    foreach (array('theme', 'accent', 'lang') as $name) {
        if ($given[$name] !== '') {
            $looks .= sprintf(' %s="%s"', $name, esc_attr($given[$name]));
        }
    }
    foreach (array('hide_title' => 'hideTitle', 'hide_brand' => 'hideBrand') as $name => $attribute) {
        if ($given[$name] !== '' && $given[$name] !== 'false') {
            $looks .= ' ' . $attribute;
        }
    }
    return $looks;
}

/** Only those who can edit posts see what is wrong. */
function tossup_problem($text) {
    return current_user_can('edit_posts') ? '<p>' . esc_html($text) . '</p>' : '';
}
