source $argv[1]
complete --do-complete 'profgate flame'
