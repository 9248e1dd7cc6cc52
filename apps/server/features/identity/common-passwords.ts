/**
 * What people choose when asked for a password, and what is therefore tried first. Written plainly: digits and signs
 * around a word, letters written as digits, and doubling are seen through by the rules that use this list.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
password passwords passwort passwd pass parol parola motdepasse contrasena senha wachtwoord haslo heslo salasana
adgangskode losenord sifre qwerty qwertz azerty qwert qwertyui qwertyuiop qwertzuiop azertyuiop asdf asdfg asdfgh
asdfghj asdfghjkl yxcvbnm zxcvbn zxcvbnm zxcv qazwsx qazwsxedc wsxedc edcrfv qweasd qweasdzxc asdzxc zaqwsx zaqxsw
poiuyt lkjhgf mnbvcxz mnbvcx abc abcd abcde abcdef abcdefg abcdefgh abcdefghi abcabc aabbcc aaaa letmein letmeinnow
iloveyou iloveu ilovehim iloveher ilovejesus ilovegod loveyou loveme lovely lover loveless mylove truelove iloveyoubaby
admin administrator administration root superuser sysadmin user username login logon signin guest test tester testing
testtest testuser demo default changeme changeit change temp temporary secret secrets topsecret mysecret private
access system server network internet computer laptop desktop keyboard monitor windows microsoft apple google gmail
yahoo hotmail facebook instagram twitter youtube linkedin github android iphone samsung nokia motorola blackberry
welcome welcomeback hello helloworld hellothere hi goodbye goodmorning goodnight sunshine moonlight starlight
daylight midnight rainbow summer winter spring autumn january february march april august september october november
december monday tuesday wednesday thursday friday saturday sunday weekend holiday holidays christmas easter halloween
birthday birthdays anniversary wedding princess prince queen king kingdom dragon dragons dragonball phoenix unicorn
monkey monkeys tiger tigers lion lions leopard panther cheetah jaguar puma bear bears teddybear panda eagle eagles
falcon hawk raven crow wolf wolves werewolf fox rabbit bunny kitty kitten cat cats pussycat dog dogs doggy puppy
horse horses pony chicken turkey duck goose spider scorpion snake viper cobra shark dolphin whale turtle frog butterfly
ladybug elephant giraffe zebra gorilla master masters mastermind masterkey ninja samurai warrior warriors knight
knights soldier sniper hunter hunters killer killers assassin gangster pirate pirates vampire zombie zombies monster
monsters devil demon angel angels heaven hell god jesus jesuschrist christ christian buddha allah blessed blessing
faith hope charity spirit soul trinity prayer amen church bible genesis michael michelle jennifer jessica ashley
amanda nicole stephanie elizabeth heather melissa rebecca rachel laura lauren sarah hannah emily emma olivia sophia
isabella charlotte amelia madison abigail samantha alexandra alexander alexis alex andrew anthony antonio austin
benjamin brandon brian charles charlie christopher chris daniel daniela danielle david dennis dominic donald edward
eric ethan gabriel george gregory harry henry jack jackson jacob james jason jasmine jeremy jerry jesse jonathan
jordan joseph joshua justin kenneth kevin kimberly larry leonardo logan lucas luke marcus maria mariana marina mark
martin mary matthew max maximus megan melanie mercedes mike miguel natalie nathan nicholas noah oliver oscar patricia
patrick paul peter philip rafael raymond richard ricky robert roberto roger roland ronald ronaldo ryan sabrina sandra
scott sebastian sergio simon stephen steven susan sydney taylor teresa thomas timothy tyler valentina valeria vanessa
veronica victor victoria vincent virginia walter wendy william willie zachary superman supergirl batman robin joker
spiderman ironman wolverine deadpool hulk thor avengers captain marvel starwars starwar skywalker lukeskywalker vader
darthvader yoda jedi startrek enterprise matrix neo trinity pokemon pikachu charizard digimon naruto sasuke goku vegeta
onepiece luffy sonic mario luigi zelda link minecraft roblox fortnite warcraft worldofwarcraft starcraft diablo
counterstrike halflife callofduty battlefield halo xbox playstation nintendo gamer games gaming player playboy
football soccer baseball basketball hockey volleyball tennis golf golfer rugby cricket boxing wrestling wrestler
swimming running runner snowboard skateboard surfing surfer fishing hunting camping racing nascar ferrari porsche
lamborghini bmw audi mercedesbenz mustang corvette camaro chevrolet chevy ford toyota honda yamaha kawasaki suzuki
harley harleydavidson ducati truck trucks diamond diamonds gold golden silver platinum crystal ruby emerald sapphire
money moneymoney cash dollar dollars million millionaire billionaire rich bitcoin crypto bank banker business company
office manager boss work worker job jobs school student students teacher teachers college university harvard stanford
arsenal chelsea liverpool manchester manchesterunited manutd barcelona realmadrid madrid juventus milan inter bayern
dortmund benfica porto ajax celtic rangers everton tottenham newcastle westham cowboys steelers packers patriots
raiders broncos giants eagles dolphins redskins redsox yankees cubs dodgers lakers celtics bulls knicks heat spurs
london paris berlin madrid rome roma milano lisbon moscow amsterdam newyork losangeles chicago houston dallas boston
seattle miami texas california florida america american canada england britain france germany spain italy portugal
brazil brasil mexico argentina colombia poland polska russia ukraine turkey india china japan korea australia
africa europe asia earth world universe galaxy planet jupiter saturn mercury venus mars pluto moon star stars sun
sunset sunrise ocean beach island river mountain mountains forest flower flowers rose roses lily daisy jasmine violet
cherry strawberry banana orange lemon apple apples peach mango pineapple coconut watermelon chocolate cookie cookies
candy sugar honey sweet sweetie sweetheart sweety cupcake cake pizza burger hamburger cheese cheeseburger bacon
chicken pepper coffee tea beer whiskey vodka tequila corona budweiser heineken water fire flame ice icecream snow
snowflake snowball storm thunder lightning hurricane tornado blue red green yellow purple pink black white brown grey
orange bluesky redrose blackcat whitecat bluebird greenday metallica nirvana beatles rollingstones pinkfloyd acdc
eminem tupac shakira beyonce madonna elvis music musical musician guitar guitars piano drummer drums dancer dancing
singer rockstar rocknroll rock metal hiphop rapper trance techno disco party forever together always never nothing
something everything anything whatever whatsup nevermind because maybe please thanks thankyou sorry excuse trustno
trustnoone trustme nopassword noaccess nobody somebody everybody anybody myself yourself mypassword yourpassword
thispassword newpassword oldpassword mypass passpass passme passthis openup opensesame sesame abracadabra magic
wizard witch merlin gandalf frodo bilbo hobbit aragorn legolas lordoftherings harrypotter hogwarts hermione potter
voldemort dumbledore twilight edwardcullen bella jacobblack narnia terminator predator alien aliens godzilla kingkong
transformers optimus rocky rambo jamesbond bond agent agents security secure safe safety lock locked unlock key keys
house home homesweethome family mother father mommy mom dad daddy brother sister baby babygirl babyboy child children
son daughter grandma grandpa friend friends bestfriend bestfriends bff girlfriend boyfriend husband wife girl girls
boy boys woman women man men lady ladies gentleman mister missy cutie cutiepie beautiful pretty handsome sexy sexygirl
sexyboy hottie hotgirl hotboy bitch bitches asshole fuck fucker fuckyou fuckoff fuckme motherfucker shit bullshit
damn cunt pussy dick cock penis vagina boobs tits sex sexsex porn naked nude horny orgasm blowjob anal stupid idiot
moron loser winner lucky luckyone luckyday happy happiness happyday smile smiley smiling laugh funny crazy insane
mental psycho freak weird cool coolio coolguy coolgirl awesome amazing wonderful fantastic perfect excellent superb
super superstar superhero hero heroes legend legendary champion champ victory winner freedom liberty peace justice
honor truth destiny fate future past present history mystery dream dreams dreamer dreaming nightmare shadow shadows
darkness dark light bright angelina britney lindsay paris hilton kardashian justinbieber bieber onedirection
harrystyles directioner belieber jonas jonasbrothers hannahmontana miley lopez jlo ricky martin pepsi cocacola coke
sprite fanta mcdonalds burgerking starbucks nike adidas puma reebok jordan gucci prada armani versace chanel dior
precious treasure angel angelbaby princesa amor amore teamo tequiero miamor corazon estrella bonita hermosa chiquita
mariposa carino cielo vida alegria felicidad familia hermana hermano madre padre hijo hija jesucristo diosesamor
bonjour soleil chocolat doudou loulou chouchou amour jetaime merci marseille francais hallo schatz schatzi liebe
sommer fussball deutschland ficken arschloch hallohallo passwort geheim sonne blume lisa anna ciao juventus napoli
amoremio stella principessa francesca andrea giuseppe matteo giulia marco polska kochanie misiaczek dupa kurwa
dragoste lubov privet marinka natasha nikita andrei sergey dmitry vladimir samsara krishna ganesh shiva india sairam
bismillah muhammad ahmed mohamed ibrahim fatima aisha hassan hussain pakistan iloveindia sayang cinta bismilah
anhyeuem woaini asakura sakura kimochi konnichiwa arigato tokyo nihon hellokitty doraemon
ncc gundam trustnoi thx jayjay dodger maverick yankee rangerover landrover rover bronco wrangler jeep hummer subaru
impala viper stingray firebird thunderbird phantom ghost rider knightrider airborne marines army navy airforce
military police officer firefighter fireman doctor nurse lawyer engineer driver pilot sailor farmer cowboy cowgirl
indian indians redneck country western southern northern eastern tennessee virginia carolina georgia alabama arizona
colorado montana dakota nebraska oregon washington michigan ohio indiana illinois wisconsin minnesota
license licence licenses countersign licensekey product products customer customers owner dashboard
`
    .split(/\s+/)
    .filter((word) => word !== ""),
);
