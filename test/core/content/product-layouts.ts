/** Pages of one product as shop systems lay them out. */
export const SENTENCES = [
  'This kettle heats a litre of water in three minutes, and keeps it warm for half an hour without a sound.',
  'Its handle stays cool, the lid opens with one hand, and the filter can be washed under the tap.',
];
/** Words of other parts of the pages. */
export const OTHERS = ['Toaster', 'Copyright', 'Garden'];

const HEAD =
  '<header><nav><ul><li><a href=/k>Kitchen</a></li><li><a href=/b>Bath</a></li><li><a href=/g>Garden</a></li></ul></nav></header>';
const RELATED =
  '<section class="related products"><h2>Related products</h2><ul><li><a href=/p1>Toaster</a> <span class=price>$30.00</span></li><li><a href=/p2>Blender</a> <span class=price>$55.00</span></li><li><a href=/p3>Mixer</a> <span class=price>$70.00</span></li></ul></section>';
const FOOT = '<footer><p>Copyright Kettle House. All rights reserved.</p><a href=/terms>Terms</a></footer>';
const table = (c = '') =>
  `<table class="${c}"><tbody><tr><th>Capacity</th><td>1.7 l</td></tr><tr><th>Power</th><td>2200 W</td></tr><tr><th>Colour</th><td>Steel grey</td></tr></tbody></table>`;
const FACTS = ['1.7 l', '2200 W', 'Steel grey'];
const page = (main: string, o: { head?: string; body?: string } = {}) =>
  `<!doctype html><html><head><title>Kettle Aurora – Kettle House</title>${o.head ?? ''}</head><body class="${o.body ?? ''}">${HEAD}${main}${main.includes('Toaster') ? '' : RELATED}${FOOT}</body></html>`;
const DATA =
  '<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Kettle Aurora","offers":{"@type":"Offer","price":"49.90","priceCurrency":"USD"}}</script>';
/** Each with the parts that its main content must have. */
export const LAYOUTS: Readonly<Record<string, readonly [html: string, parts: readonly string[]]>> = {
  woocommerce: [
    page(
      `<div id=content><div id="product-7" class="product type-product"><div class="woocommerce-product-gallery"><img src=a.jpg></div><div class="summary entry-summary"><h1 class="product_title entry-title">Kettle Aurora</h1><p class="price"><span class="woocommerce-Price-amount amount"><bdi>$49.90</bdi></span></p><div class="woocommerce-product-details__short-description"><p>${SENTENCES[0]}</p></div><form class=cart><button>Add to cart</button></form><div class="product_meta">SKU: <span class=sku>KA-17</span></div></div><div class="woocommerce-tabs"><ul class=tabs><li><a href="#d">Description</a></li></ul><div class="woocommerce-Tabs-panel" id=d><h2>Description</h2><p>${SENTENCES[1]}</p></div><div class="woocommerce-Tabs-panel"><h2>Additional information</h2>${table('woocommerce-product-attributes shop_attributes')}</div></div>${RELATED}</div></div>`,
      { head: DATA, body: 'single-product woocommerce' },
    ),
    ['49.90', ...FACTS],
  ],
  shopifyDawn: [
    page(
      `<main id=MainContent><section><product-info><div class="product__info-container"><div class=product__title><h1>Kettle Aurora</h1></div><div class=price><div class="price__regular"><span class="visually-hidden">Regular price</span><span class="price-item price-item--regular">$49.90 USD</span></div></div><div class="product__description rte"><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p>${table()}</div></div></product-info></section></main>`,
      { head: DATA },
    ),
    ['49.90', ...FACTS],
  ],
  shopifyPriceLast: [
    page(
      `<main><div class=product-single><h1>Kettle Aurora</h1><div class="product-single__description rte"><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div><span class="product__price">$49.90</span></div></main>`,
      { head: DATA },
    ),
    ['49.90'],
  ],
  magento: [
    page(
      `<main id=maincontent class=page-main><div class=columns><div class="column main"><div class="product-info-main"><div class="page-title-wrapper product"><h1 class=page-title><span class=base itemprop=name>Kettle Aurora</span></h1></div><div class=product-info-price><div class="price-box price-final_price"><span class=price>$49.90</span></div><div class=product-info-stock-sku><div class=stock><span>In stock</span></div></div></div></div><div class="product info detailed"><div class="product data items"><div class="data item title"><a>Details</a></div><div class="data item content"><div class="product attribute description"><div class=value><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div></div></div><div class="data item title"><a>More Information</a></div><div class="data item content"><div class="additional-attributes-wrapper table-wrapper"><table class="data table additional-attributes"><caption class="table-caption">More Information</caption><tbody><tr><th class="col label">Capacity</th><td class="col data">1.7 l</td></tr><tr><th class="col label">Power</th><td class="col data">2200 W</td></tr><tr><th class="col label">Colour</th><td class="col data">Steel grey</td></tr></tbody></table></div></div></div></div></div></div></main>`,
    ),
    ['49.90', ...FACTS],
  ],
  prestashop: [
    page(
      `<section id=main itemscope itemtype="https://schema.org/Product"><div class="row product-container"><div class=col-md-6><h1 class=h1 itemprop=name>Kettle Aurora</h1><div class=product-prices><div class="product-price h5"><div class=current-price><span itemprop=price content=49.90>$49.90</span></div></div></div><div class=product-information><div id=product-description-short-1><p>${SENTENCES[0]}</p></div></div></div></div><div class=tabs><div class="tab-content"><div class="tab-pane fade in active" id=description role=tabpanel><div class=product-description><p>${SENTENCES[1]}</p></div></div><div class="tab-pane fade" id=product-details role=tabpanel><section class=product-features><h3 class=h6>Data sheet</h3><dl class=data-sheet><dt class=name>Capacity</dt><dd class=value>1.7 l</dd><dt class=name>Power</dt><dd class=value>2200 W</dd><dt class=name>Colour</dt><dd class=value>Steel grey</dd></dl></section></div></div></div></section>`,
    ),
    ['49.90', ...FACTS],
  ],
  opencart: [
    page(
      `<div id=product-product class=container><div class=row><div id=content class=col-sm-12><div class=row><div class=col-sm-4><h1>Kettle Aurora</h1><ul class=list-unstyled><li>Brand: <a href=/m>Aurora</a></li><li>Availability: In Stock</li></ul><ul class=list-unstyled><li><h2>$49.90</h2></li></ul></div></div><div class=tab-content><div class="tab-pane active" id=tab-description><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div><div class=tab-pane id=tab-specification><table class="table table-bordered"><thead><tr><td colspan=2><strong>Technical</strong></td></tr></thead><tbody><tr><td>Capacity</td><td>1.7 l</td></tr><tr><td>Power</td><td>2200 W</td></tr><tr><td>Colour</td><td>Steel grey</td></tr></tbody></table></div></div></div></div></div>`,
    ),
    ['49.90', ...FACTS],
  ],
  shopware: [
    page(
      `<main class=content-main><div class=product-detail><div class=product-detail-content><div class="row product-detail-headline"><h1 class=product-detail-name>Kettle Aurora</h1></div><div class=product-detail-buy><p class=product-detail-price>€49.90*</p><p class=product-detail-delivery-information>Available, delivery time 1-3 days</p></div></div><div class=product-detail-tabs><div class="tab-pane" role=tabpanel><div class=product-detail-description-text><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div><div class=product-detail-properties-container><table class="table table-striped product-detail-properties-table"><tbody><tr class=properties-row><th class=properties-label>Capacity:</th><td class=properties-value>1.7 l</td></tr><tr class=properties-row><th class=properties-label>Power:</th><td class=properties-value>2200 W</td></tr><tr class=properties-row><th>Colour:</th><td>Steel grey</td></tr></tbody></table></div></div></div></div></main>`,
    ),
    ['49.90', ...FACTS],
  ],
  bigcommerce: [
    page(
      `<main class=body><div class=container><div class=productView><section class="productView-details product-data"><div class=productView-product><h1 class=productView-title>Kettle Aurora</h1><div class=productView-price><div class="price-section price-section--withoutTax"><span class="price price--withoutTax">$49.90</span></div></div><dl class=productView-info><dt class=productView-info-name>SKU:</dt><dd class=productView-info-value>KA-17</dd><dt class=productView-info-name>Weight:</dt><dd class=productView-info-value>1.2 KGS</dd></dl></div></section><article class=productView-description><div class=tabs-contents><div class="tab-content is-active"><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div></div></article></div></div></main>`,
    ),
    ['49.90', 'KA-17', '1.2 KGS'],
  ],
  squarespace: [
    page(
      `<main><article class="ProductItem hentry"><section class=ProductItem-summary><section class=ProductItem-details><h1 class=ProductItem-details-title>Kettle Aurora</h1><div class=product-price>$49.90</div><div class=ProductItem-details-excerpt><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div></section></section></article></main>`,
    ),
    ['49.90'],
  ],
  wix: [
    page(
      `<main><div data-hook=product-page><div><h1 data-hook=product-title>Kettle Aurora</h1><div data-hook=sku>SKU: KA-17</div><div data-hook=product-price><span data-hook=formatted-primary-price>$49.90</span></div><pre data-hook=description><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></pre><div data-hook=info-section><h2>Product info</h2><p>Capacity 1.7 l, power 2200 W, steel grey body.</p></div></div></div></main>`,
    ),
    ['49.90', '2200 W'],
  ],
  spree: [
    page(
      `<main><div data-hook=product_show><h1 class=product-details-title>Kettle Aurora</h1><div class=product-description data-hook=product_description><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div><div id=product-properties><h3>Properties</h3>${table('table-display')}</div><div id=product-price><h6>Price</h6><span class="lead price selling">$49.90</span></div></div></main>`,
    ),
    ['49.90', ...FACTS],
  ],
  drupalCommerce: [
    page(
      `<main role=main><article class="commerce-product--type-default"><h1>Kettle Aurora</h1><div class="field field--name-body"><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div><div class="field field--name-field-specs">${table()}</div><div class="product--variation-field field--name-price field__item">$49.90</div></article></main>`,
    ),
    ['49.90', ...FACTS],
  ],
  odoo: [
    page(
      `<main><div id=wrap class="js_sale"><section id=product_detail><h1 itemprop=name>Kettle Aurora</h1><p itemprop=description class="text-muted">${SENTENCES[0]}</p><div class=product_price><h3 class="css_editable_mode_hidden"><span class=oe_price>$ <span class=oe_currency_value>49.90</span></span></h3></div></section><div itemprop=description><p>${SENTENCES[1]}</p></div><section class=s_product_specs><h3>Specifications</h3>${table('table')}</section></div></main>`,
    ),
    ['49.90', ...FACTS],
  ],
  nopcommerce: [
    page(
      `<div class=master-wrapper-content><div class=center-1><div class="page product-details-page"><div class=page-body><div class=product-essential><div class=overview><div class=product-name><h1>Kettle Aurora</h1></div><div class=short-description>${SENTENCES[0]}</div><div class=prices><div class=product-price><span class=price-value-1>$49.90</span></div></div></div><div class=full-description><p>${SENTENCES[1]}</p></div></div><div class=product-collateral><div class=product-specs-box><div class=title><strong>Products specifications</strong></div><div class=table-wrapper><table class=data-table><thead><tr><th>Attribute name</th><th>Attribute value</th></tr></thead><tbody><tr class=odd><td>Capacity</td><td>1.7 l</td></tr><tr class=even><td>Power</td><td>2200 W</td></tr><tr class=odd><td>Colour</td><td>Steel grey</td></tr></tbody></table></div></div></div></div></div></div></div>`,
    ),
    ['49.90', ...FACTS],
  ],
  oscommerce: [
    page(
      `<table width="100%"><tr><td><h1>Kettle Aurora</h1></td><td align=right><h1>$49.90</h1></td></tr><tr><td colspan=2><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p><ul><li>Capacity: 1.7 l</li><li>Power: 2200 W</li><li>Colour: Steel grey</li></ul></td></tr></table>`,
    ),
    ['49.90', ...FACTS],
  ],
  plainMicrodata: [
    page(
      `<div itemscope itemtype="http://schema.org/Product"><h1 itemprop=name>Kettle Aurora</h1><div itemprop=description><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div><div itemprop=offers itemscope itemtype="http://schema.org/Offer"><span itemprop=price>49.90</span> <span itemprop=priceCurrency>USD</span></div></div>`,
    ),
    ['49.90'],
  ],
  dlLast: [
    page(
      `<main><article class=product><h1>Kettle Aurora</h1><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p><dl><dt>Capacity</dt><dd>1.7 l</dd><dt>Power</dt><dd>2200 W</dd><dt>Colour</dt><dd>Steel grey</dd><dt>Price</dt><dd>$49.90</dd></dl></article></main>`,
    ),
    ['49.90', ...FACTS],
  ],
  tableLast: [
    page(
      `<main><h1>Kettle Aurora</h1><div class=intro><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div><h2>Specifications</h2>${table('specs')}<p class=price>$49.90</p></main>`,
    ),
    ['49.90', ...FACTS],
  ],
  divRows: [
    page(
      `<main><h1>Kettle Aurora</h1><div class=pdp-copy><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div><div class=specs><div class=spec><span>Capacity</span><span>1.7 l</span></div><div class=spec><span>Power</span><span>2200 W</span></div><div class=spec><span>Colour</span><span>Steel grey</span></div></div><div class=buybox><div class=amount>$49.90</div><button>Buy now</button></div></main>`,
    ),
    ['49.90', ...FACTS],
  ],
  volumePrices: [
    page(
      `<main><div class=product><h1>Kettle Aurora</h1><div class=description><p>${SENTENCES[0]}</p><p>${SENTENCES[1]}</p></div><table class="tier-prices"><thead><tr><th>Quantity</th><th>Price each</th></tr></thead><tbody><tr><td>1</td><td>$49.90</td></tr><tr><td>10</td><td>$44.90</td></tr><tr><td>100</td><td>$39.90</td></tr></tbody></table></div></main>`,
    ),
    ['49.90', '44.90', '39.90'],
  ],
};
